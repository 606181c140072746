-- sysbench's own OLTP scripts, with a new connection every so many transactions.
-- sysbench 1.0.20 cannot do that by itself. Connecting counts to the transaction that waits for it,
-- as it does for a client.

require("oltp_common")

sysbench.cmdline.options.script = {"Name of one of sysbench's OLTP scripts", "oltp_read_only"}
sysbench.cmdline.options.reconnect_every = {"Transactions a connection, 0 for all", 0}

local first_connection = thread_init

-- sysbench wants to see one before it has read the options.
function event()
end

function thread_init()
   require(sysbench.opt.script) -- replaces event()
   local transaction, every, done = event, sysbench.opt.reconnect_every, 0

   function event()
      if every > 0 and done > 0 and done % every == 0 then
         close_statements()
         con:disconnect()
         first_connection()
      end
      transaction()
      done = done + 1
   end

   first_connection()
end

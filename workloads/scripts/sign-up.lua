-- Signs up a new member with every request: POST of name, e-mail and password as JSON, the
-- e-mail never used before, neither in this run nor in an earlier one on the same database.
-- Uses wrk2's script interface only, so that it runs on due, wrk2 and wrk alike:
--   due -R 500 -c 50 -d 30s -s sign-up.lua http://127.0.0.1:8080/members

local threads = 0

-- Two runs may begin within one second, so that the time is no name.
local function drawn_number()
   local source = assert(io.open("/dev/urandom", "rb"))
   local bytes, number = source:read(6), 0
   source:close()
   for at = 1, #bytes do
      number = number * 256 + bytes:byte(at)
   end
   return number
end

function setup(thread)
   threads = threads + 1
   thread:set("thread_number", threads)
   thread:set("run_number", drawn_number())
end

local signed_up = 0

function init()
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/json"
end

function request()
   signed_up = signed_up + 1
   local email = string.format("kim-%d-%d-%d@mail.com", run_number, thread_number, signed_up)
   local body = string.format('{"name": "kim", "email": "%s", "password": "password1234"}', email)
   return wrk.format(nil, nil, nil, body)
end

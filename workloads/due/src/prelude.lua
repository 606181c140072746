-- The Lua side of wrk2's script interface. The program fills wrk's scheme, host, port, path and
-- headers from the command line. There is one thread, and one environment for all of a script.
wrk = { method = "GET", headers = {}, body = nil }

-- Refuses a part of wrk2's interface that is not here, rather than run another load in silence.
local function missing(name, instead)
   return function() error(name .. " is not supported: " .. instead, 0) end
end

wrk.lookup = missing("wrk.lookup", "the URL names the server")
wrk.connect = missing("wrk.connect", "the URL names the server")

local no_stop = missing("thread:stop", "-d says how long a run lasts")
local no_address = missing("thread.addr", "the URL names the server")
wrk.thread = setmetatable({
   get = function(_, name) return _G[name] end,
   set = function(_, name, value) _G[name] = value end,
}, {
   __index = function(_, name)
      if name == "addr" then no_address() end
      return name == "stop" and no_stop or nil
   end,
   __newindex = function(_, name)
      if name == "addr" then no_address() end
      error("thread." .. name .. " cannot be set", 0)
   end,
})

local function refuse(name, instead)
   if type(_G[name]) == "function" then missing("function " .. name, instead)() end
end

local function has_header(headers, wanted)
   for name in pairs(headers) do
      if name:lower() == wanted then return true end
   end
   return false
end

local function default_host()
   local host = wrk.host:find(":") and "[" .. wrk.host .. "]" or wrk.host
   return wrk.port and host .. ":" .. wrk.port or host
end

function wrk.init(args)
   if not has_header(wrk.headers, "host") then wrk.headers["Host"] = default_host() end
   if type(setup) == "function" then setup(wrk.thread) end
   if type(init) == "function" then init(args) end
   refuse("delay", "--schedule says when requests are due")
   refuse("done", "--json has the results")
   local same_each_time = wrk.format()
   wrk.request = function() return same_each_time end
end

function wrk.format(method, path, headers, body)
   headers = headers or wrk.headers
   body = body or wrk.body
   local lines = { (method or wrk.method) .. " " .. (path or wrk.path) .. " HTTP/1.1" }
   if not has_header(headers, "host") then
      lines[#lines + 1] = "Host: " .. (wrk.headers["Host"] or default_host())
   end
   for name, value in pairs(headers) do
      -- The body decides its length, whatever a script says.
      if name:lower() ~= "content-length" then
         lines[#lines + 1] = name .. ": " .. tostring(value)
      end
   end
   if body then lines[#lines + 1] = "Content-Length: " .. #body end
   lines[#lines + 1] = ""
   lines[#lines + 1] = body or ""
   return table.concat(lines, "\r\n")
end

-- The Lua side of wrk2's script interface. The program fills wrk's scheme, host, port, path and
-- headers from the command line. There is one thread, and one environment for all of a script.
wrk = { method = "GET", headers = {}, body = nil }

wrk.thread = { set = function(_, name, value) _G[name] = value end }

local function has_header(headers, wanted)
   for name in pairs(headers) do
      if name:lower() == wanted then return true end
   end
   return false
end

local function default_host()
   return wrk.port and wrk.host .. ":" .. wrk.port or wrk.host
end

function wrk.init(args)
   if not has_header(wrk.headers, "host") then wrk.headers["Host"] = default_host() end
   if type(setup) == "function" then setup(wrk.thread) end
   if type(init) == "function" then init(args) end
   -- Refused, rather than run another load in silence.
   for _, name in ipairs({ "delay", "response", "done" }) do
      if type(_G[name]) == "function" then error("function " .. name .. " is not supported", 0) end
   end
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

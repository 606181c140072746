-- The Lua side of wrk2's script interface. The program adds lookup, connect, time_us, thread,
-- and fills scheme, host, port, path and headers from the command line.
wrk = { method = "GET", headers = {}, body = nil }

function wrk.setup(thread)
   if type(setup) == "function" then setup(thread) end
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
   if type(init) == "function" then init(args) end
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

-- Sends the requests that its arguments are, in turns: a line `METHOD PATH`, a line `Name: value` for each header, an empty
-- line, and the body, if there is one. A line `@FILE` behind the first stands for one request for each path that a line
-- of the file has.
--
-- {n} is a number and {uuid} an id that no other request has, in path, headers and body. {env:NAME} in a header is a
-- variable of the environment: a secret stands in no command line.

local requests, last = {}, 0
local drawn, count = 0, 0

local function bytes(wanted)
   local file = assert(io.open("/dev/urandom", "rb"))
   local found = file:read(wanted)
   file:close()
   return found
end

local function value_of(name)
   return os.getenv(name) or error("the variable " .. name .. " is not set")
end

local function uuid()
   local hex = bytes(16):gsub(".", function(byte) return string.format("%02x", byte:byte()) end)
   return string.format("%s-%s-4%s-a%s-%s", hex:sub(1, 8), hex:sub(9, 12), hex:sub(14, 16), hex:sub(18, 20), hex:sub(21, 32))
end

local function filled(text, number, id)
   return (text:gsub("{n}", number):gsub("{uuid}", id))
end

local function merged(lines)
   local headers = {}
   for name, value in pairs(wrk.headers) do headers[name] = value end
   for name, value in lines:gmatch("([^:\n]+):[ \t]*([^\n]*)") do headers[name] = value:gsub("{env:([%w_]+)}", value_of) end
   return headers
end

local function add(method, path, lines, body)
   local headers = merged(lines)
   if not (path .. lines .. (body or "")):find("{n}", 1, true) and not (path .. lines .. (body or "")):find("{uuid}", 1, true) then
      requests[#requests + 1] = wrk.format(method, path, headers, body)
      return
   end
   requests[#requests + 1] = function(number, id)
      local own = {}
      for name, value in pairs(headers) do own[name] = filled(value, number, id) end
      return wrk.format(method, filled(path, number, id), own, body and filled(body, number, id))
   end
end

function init(args)
   for place = 1, 6 do drawn = drawn * 256 + bytes(6):byte(place) end
   for _, text in ipairs(args) do
      local head, body = text:match("^(.-)\n\n(.*)$")
      local method, path, lines = head:match("^(%S+) (%S+)\n?(.*)$")
      local file = lines:match("^@([^\n]*)\n?")
      if file then
         lines = lines:gsub("^@[^\n]*\n?", "")
         for line in io.lines(file) do
            if line:match("^/%S*$") then add(method, line, lines) end
         end
      else
         add(method, path, lines, body ~= "" and body or nil)
      end
   end
end

function request()
   last = last % #requests + 1
   local found = requests[last]
   if type(found) == "string" then return found end
   count = count + 1
   return found(string.format("%.0f", drawn + count), uuid())
end

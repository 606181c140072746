-- Sends the requests that its arguments are, in turns: a line `METHOD PATH`, a line `Name: value` for each header, an empty
-- line, and the body, if there is one.

local requests, last = {}, 0

local function merged(lines)
   local headers = {}
   for name, value in pairs(wrk.headers) do headers[name] = value end
   for name, value in lines:gmatch("([^:\n]+):[ \t]*([^\n]*)") do headers[name] = value end
   return headers
end

function init(args)
   for number, text in ipairs(args) do
      local head, body = text:match("^(.-)\n\n(.*)$")
      local method, path, lines = head:match("^(%S+) (%S+)\n?(.*)$")
      requests[number] = wrk.format(method, path, merged(lines), body ~= "" and body or nil)
   end
end

function request()
   last = last % #requests + 1
   return requests[last]
end

-- Logs in a member with every request, each of the thousand in turn: POST of e-mail and password as
-- JSON. A thread begins at a member of its own.

local threads = 0

function setup(thread)
   threads = threads + 1
   thread:set("member", threads * 97)
end

function init()
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/json"
end

function request()
   member = member % 1000 + 1
   local body = string.format('{"email": "member-%04d@mail.com", "password": "password1234"}', member)
   return wrk.format(nil, nil, nil, body)
end

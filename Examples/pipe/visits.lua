#!/usr/bin/env lua5.4
-- Counts a visit, and follows the count up to three: statectl pipe in Lua, which opens one way at a time: the other is a fifo.
local path = os.tmpname()
os.execute("rm " .. path .. " && mkfifo -m 600 " .. path)
local from = io.popen("statectl pipe < " .. path)
local to = io.open(path, "w")
os.remove(path)
to:setvbuf("line")
io.stdout:setvbuf("line")
to:write('{"id": "create", "op": "create", "name": "visits", "type": "integer", "initial": 0}\n')
to:write('{"id": "visits", "op": "watch", "names": ["visits"], "every": true}\n')
to:write('{"id": "add", "op": "add", "name": "visits"}\n')
for line in from:lines() do
  local value = tonumber(line:match('"value":(%d+)'))
  if line:find('"error":', 1, true) then error(line) end
  if line:find('"id":"add"', 1, true) then print("visitor " .. value) end
  if line:find('"kind":"changed"', 1, true) then print("visits " .. value) end
  if line:find('"kind":"changed"', 1, true) and value >= 3 then break end
end
to:close()
from:close()

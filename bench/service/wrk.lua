-- Sends the requests of a file, which are separated by NUL, in order, and prints the results as JSON.
local requests = {}
-- wrk takes one request before it connects, to see its form, and does not send it.
local next_request = -1

function init(args)
  local file = assert(io.open(args[1], "rb"))
  local content = file:read("*a")
  file:close()
  local start = 1
  while true do
    local stop = content:find("\0", start, true)
    if not stop then break end
    requests[#requests + 1] = content:sub(start, stop - 1)
    start = stop + 1
  end
end

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end

function done(summary, latency)
  local errors = summary.errors
  io.stderr:write(string.format(
    '{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"status":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end

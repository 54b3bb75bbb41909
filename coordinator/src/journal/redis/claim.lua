-- Takes or keeps the lead if nobody else has it.
-- KEYS: lead, head. ARGV: address, milliseconds a lead lasts, least epoch, whether an empty pool may be taken.
-- Gives 1, the new epoch, the epoch and position before, microseconds since 1970; or 0 and the leader's address.
local lead = redis.call('GET', KEYS[1])
local address = lead and string.match(lead, '^%d+ (.*)$')
if address and address ~= ARGV[1] then
    return {0, address}
end
local before = redis.call('HMGET', KEYS[2], 'epoch', 'position')
if not before[1] and ARGV[4] == '0' then
    return {0, ''}
end
local time = redis.call('TIME')
local last = tonumber(before[1] or '0')
local epoch = string.format('%.0f', math.max(last + 1, tonumber(ARGV[3]), tonumber(time[1])))
redis.call('SET', KEYS[1], epoch .. ' ' .. ARGV[1], 'PX', ARGV[2])
redis.call('HSET', KEYS[2], 'epoch', epoch)
return {1, epoch, before[1] or '0', before[2] or '0', time[1], time[2]}

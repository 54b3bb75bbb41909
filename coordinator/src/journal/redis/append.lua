-- Adds a batch behind a position, once, if the epoch still leads.
-- KEYS: lead, head, journal. ARGV: epoch, position of the batch, milliseconds a lead lasts, batch.
-- Gives 1, or 0 when the lead is lost or the journal is not where it was.
local lead = redis.call('GET', KEYS[1])
if not lead or string.match(lead, '^%d+') ~= ARGV[1] then
    return 0
end
local position = tonumber(redis.call('HGET', KEYS[2], 'position') or '0')
local wanted = tonumber(ARGV[2])
if position == wanted then
    return 1
end
if position ~= wanted - 1 then
    return 0
end
redis.call('RPUSH', KEYS[3], ARGV[4])
redis.call('HSET', KEYS[2], 'position', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1

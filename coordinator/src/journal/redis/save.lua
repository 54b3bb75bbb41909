-- Puts a snapshot in place of all batches, if the epoch still leads.
-- KEYS: lead, head, journal, snapshot. ARGV: epoch, position of the snapshot, milliseconds a lead lasts, snapshot.
local lead = redis.call('GET', KEYS[1])
if not lead or string.match(lead, '^%d+') ~= ARGV[1] then
    return 0
end
redis.call('SET', KEYS[4], ARGV[4])
redis.call('DEL', KEYS[3])
redis.call('HSET', KEYS[2], 'position', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1

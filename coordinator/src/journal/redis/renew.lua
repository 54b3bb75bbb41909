-- Keeps the lead (ARGV[3] = 'keep') or gives it back ('free'), if the epoch still has it.
-- KEYS: lead. ARGV: epoch, milliseconds a lead lasts, what to do.
local lead = redis.call('GET', KEYS[1])
if not lead or string.match(lead, '^%d+') ~= ARGV[1] then
    return 0
end
if ARGV[3] == 'free' then
    redis.call('DEL', KEYS[1])
else
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1

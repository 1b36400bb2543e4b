/** Limits of containers that end while they are set. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { setExtraLimits, setOomScoreAdj } from './extra-limits.ts';
import { LinuxContainerResources } from './proto.ts';

test('what has ended has nothing to limit: a start or an update that comes after it succeeds', async (t) => {
	const child = spawn('true');
	await once(child, 'exit');
	const pid = child.pid ?? 0;
	await t.notThrowsAsync(setExtraLimits(pid, resources({ hugepageLimits: [{ pageSize: '2MB', limit: 0n }] })));
	await t.notThrowsAsync(setOomScoreAdj(pid, 5));
});

test('a size of huge pages that cannot be is refused while the process runs', async (t) => {
	const hugepageLimits = [{ pageSize: '2 mugs', limit: 0n }];
	await t.throwsAsync(setExtraLimits(process.pid, resources({ hugepageLimits })), { message: /"2 mugs" is no size of huge pages/ });
});

function resources(some: Partial<LinuxContainerResources>): LinuxContainerResources {
	return { ...LinuxContainerResources.decode(Buffer.alloc(0)), ...some };
}

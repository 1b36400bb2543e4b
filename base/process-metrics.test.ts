import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { createMetrics } from './metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { VirtualClock } from './virtual-clock.ts';

test('the process tells of its limits and of what went through its network, which only grows', async (t) => {
	const registry = createMetrics();
	processMetrics(registry, new VirtualClock());
	const read = async (name: string): Promise<number> =>
		Number(new RegExp(`^process_${name} (.*)$`, 'm').exec(await registry.metrics())?.[1]);
	t.true((await read('virtual_memory_max_bytes')) >= (await read('virtual_memory_bytes')));
	const names = ['network_receive_bytes_total', 'network_transmit_bytes_total'];
	const before = await Promise.all(names.map(read));
	const server = createServer((socket) => socket.end(Buffer.alloc(100_000)));
	await once(server.listen(0, '127.0.0.1'), 'listening');
	await buffer(connect((server.address() as AddressInfo).port, '127.0.0.1'));
	server.close();
	for (const [i, name] of names.entries()) t.true((await read(name)) - (before[i] ?? Number.NaN) >= 100_000, name);
});

test('what the kernel does not tell is left out, and the rest is told', async (t) => {
	const proc = await mkdtemp(join(tmpdir(), 'kubeling-proc-'));
	t.teardown(() => rm(proc, { recursive: true }));
	await writeFile(join(proc, 'statm'), '12 3 4 5 6 7 8');
	const registry = createMetrics();
	processMetrics(registry, new VirtualClock(), proc);
	const text = await registry.metrics();
	const names = text
		.split('\n')
		.filter((line) => /^[a-z]/.test(line))
		.map((line) => line.split(' ', 1)[0]);
	t.deepEqual(names, [
		...['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_virtual_memory_bytes', 'process_start_time_seconds'],
	]);
});

/** Plugins by their sockets: taken, refused, made anew, gone. Over real sockets, with no wait that is measured. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { Registry } from '../../base/metrics.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { RegistrationService } from '../../wire/gen/pluginregistration.ts';
import { serveGrpc, service, type GrpcServer } from '../../wire/grpc/server.ts';
import { watchPlugins } from './plugin-watcher.ts';

interface Told {
	readonly pluginRegistered: boolean;
	readonly error: string;
}

function plugin(folder: string, name: string, type: string, told: Told[]): Promise<GrpcServer> {
	const handlers = service(RegistrationService, {
		getInfo: async () => ({ type, name, endpoint: '', supportedVersions: ['1.0.0'] }),
		notifyRegistrationStatus: async (status) => {
			told.push(status);
			return {};
		},
	});
	return serveGrpc([handlers], { address: join(folder, `${name}-reg.sock`), clock: realClock, log: noLog });
}

test('plugins come, are refused, come anew and go', async (t) => {
	t.timeout(120_000);
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-plugins-'));
	const stop = new AbortController();
	const log: string[] = [];
	const kind = {
		async register({ name, endpoint }: { readonly name: string; readonly endpoint: string }): Promise<void> {
			if (name === 'bad') throw new Error('not this one');
			log.push(`+${name} ${endpoint === join(folder, `${name}-reg.sock`) ? 'at its socket' : endpoint}`);
		},
		async deregister({ name }: { readonly name: string }): Promise<void> {
			log.push(`-${name}`);
		},
	};
	const told: Told[] = [];
	const before = await plugin(folder, 'early', 'Kind', told);
	const registry = new Registry();
	const counted = async (): Promise<readonly string[]> =>
		(await registry.metrics())
			.split('\n')
			.flatMap((line) => /\/(\w+)-reg\.sock",state="(\w+?)_.* 1$/.exec(line)?.slice(1, 3).join(' ') ?? []);
	const watching = watchPlugins({ folder, kinds: { Kind: kind }, clock: realClock, log: noLog, registry }, stop.signal);
	const seen = (count: number): Promise<unknown> =>
		eventually(
			() => `${count} of: ${log.join(', ')}`,
			async () => log.length >= count,
		);
	try {
		await seen(1);
		await eventually('the answer', async () => told.length === 1);
		t.deepEqual(told[0], { pluginRegistered: true, error: '' });
		const bad: Told[] = [];
		const stranger: Told[] = [];
		const refused = await plugin(folder, 'bad', 'Kind', bad);
		const unknown = await plugin(folder, 'odd', 'Other', stranger);
		await eventually('both answers', async () => bad.length > 0 && stranger.length > 0);
		t.deepEqual(bad[0], { pluginRegistered: false, error: 'not this one' });
		t.regex(stranger[0]?.error ?? '', /no handler registered for plugin type: Other/);
		t.deepEqual((await counted()).toSorted(), ['bad desired', 'early actual', 'early desired', 'odd desired']);
		await Promise.all([refused.stop(), unknown.stop()]);
		await before.stop();
		await seen(2);
		const again = await plugin(folder, 'early', 'Kind', told);
		await seen(3);
		await again.stop();
		await seen(4);
		t.deepEqual(log, ['+early at its socket', '-early', '+early at its socket', '-early']);
	} finally {
		stop.abort();
		await watching;
		await rm(folder, { recursive: true });
	}
});

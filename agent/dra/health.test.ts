/** How devices are: on virtual time what drivers tell, and over real sockets a driver that tells, ends and comes back. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Container, Pod } from '../../api/gen/types.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { Registry } from '../../base/metrics.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Client } from '../../client/client.ts';
import { DraPluginFake } from '../../test/fakes/dra-plugin.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { HealthStatus, type DeviceHealth as Reported } from '../../wire/gen/dra-health.ts';
import type { AgentOptions } from '../options.ts';
import { DynamicFigures } from './figures.ts';
import { DeviceHealth, shortened } from './health.ts';
import { draParts, type DraParts } from './of-agent.ts';
import { writeClaims } from './state.ts';

const DRIVER = 'gpu.example.com';

const device = (deviceName: string, health: keyof typeof HealthStatus, { message = '', seconds = 0n } = {}): Reported => ({
	device: { poolName: 'node', deviceName },
	health: HealthStatus[health],
	lastUpdatedTime: 0n,
	healthCheckTimeoutSeconds: seconds,
	message,
});

async function folder(t: ExecutionContext): Promise<string> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-dra-health-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	return dir;
}

async function bench(rootDir: string, clock = new VirtualClock(Date.UTC(2026, 0, 1))) {
	const changes: string[] = [];
	const warnings: string[] = [];
	const log = { ...noLog, warn: (message: string) => void warnings.push(message) };
	const changed = (driver: string, devices: ReadonlySet<string>): void => void changes.push(`${driver}: ${[...devices].join(' ')}`);
	const health = await DeviceHealth.open({ rootDir, clock, log, changed });
	const of = (name: string): string => Object.values(health.of(DRIVER, 'node', name)).join(' ');
	return { health, clock, changes, warnings, of };
}

const nothingKept = (dir: string): Promise<unknown> =>
	eventually('nothing is kept', async () => (await readFile(join(dir, 'dra_health_state'), 'utf8').catch(() => '')) === '{}');

test('what a driver tells counts until it is out of date; who changes is told of, once', async (t) => {
	const dir = await folder(t);
	const { health, clock, changes, of } = await bench(dir);
	t.is(of('a'), 'Unknown');
	const list = [
		device('a', 'UNHEALTHY', { message: 'hot' }),
		device('b', 'HEALTHY', { seconds: 60n }),
		device('c', 'UNKNOWN', { seconds: -1n }),
	];
	health.told(DRIVER, { devices: list });
	t.deepEqual(['a', 'b', 'c', 'd'].map(of), ['Unhealthy hot', 'Healthy', 'Unknown', 'Unknown']);
	t.deepEqual(changes.splice(0), [`${DRIVER}: node/a node/b node/c`]);
	health.told(DRIVER, { devices: list });
	t.deepEqual(changes, [], 'nothing is new');
	await clock.advance(30_000);
	t.is(of('a'), 'Unhealthy hot');
	await clock.advance(1000);
	t.deepEqual(['a', 'b'].map(of), ['Unknown', 'Healthy']);
	t.deepEqual(changes.splice(0), [`${DRIVER}: node/a`]);
	health.told(DRIVER, { devices: [device('a', 'HEALTHY')] });
	t.deepEqual(changes.splice(0), [`${DRIVER}: node/a`]);
	await clock.advance(30_000);
	t.deepEqual(['a', 'b'].map(of), ['Healthy', 'Unknown'], 'of who is not in the list time goes on');
	health.forget(DRIVER);
	t.is(of('a'), 'Unknown');
	t.deepEqual(changes.splice(0), [`${DRIVER}: node/b`, `${DRIVER}: node/a node/b node/c`]);
	await clock.advance(120_000);
	t.deepEqual(changes, []);
	await nothingKept(dir);
});

test('how devices are is kept as upstream keeps it; what cannot be read is told again', async (t) => {
	const dir = await folder(t);
	const file = join(dir, 'dra_health_state');
	const { health, clock } = await bench(dir);
	health.told(DRIVER, { devices: [device('a', 'UNHEALTHY', { message: 'hot', seconds: 10n })] });
	const kept = {
		...{ PoolName: 'node', DeviceName: 'a', Health: 'Unhealthy', Message: 'hot' },
		...{ LastUpdated: '2026-01-01T00:00:00.000Z', HealthCheckTimeout: 10_000_000_000 },
	};
	await eventually('it is written', async () => (await readFile(file, 'utf8').catch(() => '')) !== '');
	t.deepEqual(JSON.parse(await readFile(file, 'utf8')), { [DRIVER]: { Devices: { 'node/a': kept } } });
	health.stop();
	const after = await bench(dir, clock);
	t.is(after.of('a'), 'Unhealthy hot');
	await clock.advance(11_000);
	t.is(after.of('a'), 'Unknown');
	for (const broken of ['nothing', 'null', '{"x":[]}']) {
		await writeFile(file, broken);
		t.is((await bench(dir, clock)).of('a'), 'Unknown', broken);
	}
});

test('long messages end in dots, and between characters', (t) => {
	t.is(shortened('a'.repeat(1024)), 'a'.repeat(1024));
	t.is(shortened('a'.repeat(1025)), `${'a'.repeat(1021)}...`);
	t.is(shortened(`${'a'.repeat(1020)}é${'b'.repeat(10)}`), `${'a'.repeat(1020)}...`);
});

const use = (request?: string): Container => ({
	name: 'c',
	resources: { claims: [{ name: 'local', ...(request === undefined ? {} : { request }) }] },
});
const pod: Pod = {
	metadata: { name: 'p', namespace: 'n', uid: 'u' },
	spec: { containers: [use()], resourceClaims: [{ name: 'local', resourceClaimName: 'claim' }] },
};

const healthIn = ({ claims }: DraParts, container = use()): unknown =>
	claims.healthOf(pod, container)[0]?.resources?.map(({ resourceID, health, message = '' }) => `${resourceID} ${health} ${message}`.trim());

test('a driver tells how its devices are; its pods are looked at again, also when it ends, comes back and is gone', async (t) => {
	t.timeout(120_000);
	const [rootDir, sockets, stop] = [await folder(t), await folder(t), new AbortController()];
	const own = (name: string, requests: readonly string[], cdi: readonly string[]) => ({
		driver: DRIVER,
		pool: 'node',
		device: name,
		requests,
		cdi,
	});
	const devices = [own('gpu-0', ['gpu'], ['v/gpu=0']), own('gpu-1', ['gpu'], ['v/gpu=0']), own('nic-0', ['nic'], [])];
	const claim = { namespace: 'n', name: 'claim', uid: 'cu', drivers: [DRIVER], pods: ['u'], devices };
	await writeClaims(rootDir, 'boot', new Map([['n/claim', claim]]));
	const woken: string[] = [];
	const client = { list: async () => ({ items: [] }) } as unknown as Client;
	const deps = { client, clock: realClock, log: noLog, figures: new DynamicFigures(new Registry()) };
	const parts = await draParts({ rootDir, nodeName: 'node' } as AgentOptions, deps, 'boot', (uid) => void woken.push(uid));
	await parts.plugins.begin(stop.signal);
	t.teardown(() => stop.abort());
	await using driver = new DraPluginFake(DRIVER);
	driver.tell([device('gpu-0', 'UNHEALTHY', { message: 'hot' })]);
	const info = {
		type: 'DRAPlugin',
		name: DRIVER,
		endpoint: `unix://${join(sockets, `.${DRIVER}.sock`)}`,
		supportedVersions: ['v1.DRAPlugin'],
	};
	await driver.start(sockets, info.supportedVersions);
	t.deepEqual(healthIn(parts), ['v/gpu=0 Unknown', `${DRIVER}/node/nic-0 Unknown`], 'each name once');
	await parts.plugins.register(info, stop.signal);
	const seen = (want: readonly string[]): Promise<unknown> =>
		eventually(
			() => `${String(want)}; there was ${String(healthIn(parts))}`,
			async () => String(healthIn(parts)) === String(want),
		);
	await seen(['v/gpu=0 Unhealthy hot', `${DRIVER}/node/nic-0 Unknown`]);
	t.deepEqual(woken.splice(0), ['u']);
	driver.tell([device('gpu-0', 'HEALTHY'), device('nic-0', 'HEALTHY'), device('other', 'UNHEALTHY')]);
	await seen(['v/gpu=0 Healthy', `${DRIVER}/node/nic-0 Healthy`]);
	t.deepEqual(healthIn(parts, use('nic')), [`${DRIVER}/node/nic-0 Healthy`]);
	driver.tell([device('gpu-0', 'HEALTHY'), device('nic-0', 'HEALTHY'), device('other', 'HEALTHY'), device('end', 'HEALTHY')]);
	await driver.stop();
	await seen(['v/gpu=0 Unknown', `${DRIVER}/node/nic-0 Unknown`]);
	await driver.start(sockets, info.supportedVersions);
	await seen(['v/gpu=0 Healthy', `${DRIVER}/node/nic-0 Healthy`]);
	woken.length = 0;
	await parts.plugins.deregister(info);
	t.deepEqual(healthIn(parts), ['v/gpu=0 Unknown', `${DRIVER}/node/nic-0 Unknown`]);
	t.deepEqual(woken, ['u']);
	await nothingKept(rootDir);
});

/** A shim of a test's own on the real engine, with the smallest configurations that CRI takes, and a local busybox image. */
import { mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestFn } from 'ava';
import { realClock } from '../../base/clock.ts';
import { noLog, type Log } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { connectEngine, type Engine } from '../../cri/engine/engine.ts';
import { tar } from '../../cri/images/tar.ts';
import { ContainerConfig, ImageServiceService, PodSandboxConfig, RuntimeServiceService } from '../../cri/proto.ts';
import { destroyShim } from '../../cri/destroy.ts';
import { createShim, type ShimOptions } from '../../cri/shim.ts';
import { grpcClient, type GrpcClient } from '../../wire/grpc/client.ts';

export const ENGINE_SOCKET = '/var/run/docker.sock';
const TEST_REPOSITORY = 'kubeling-test/busybox';
export const TEST_IMAGE = `${TEST_REPOSITORY}:1`;

/** The engine, or the reason why there is none. */
export async function testEngine(): Promise<Engine | string> {
	if (process.getuid?.() !== 0) return 'needs root';
	return connectEngine(ENGINE_SOCKET).catch((error: Error) => error.message);
}

/** For the tests of a file that need the engine: `live` runs them one after the other; where there is none they are skipped, and one test says why. */
export async function liveTests(
	test: TestFn,
): Promise<{ readonly engine: Engine | string; readonly live: TestFn['serial'] | TestFn['skip'] }> {
	const engine = await testEngine();
	if (typeof engine !== 'string') return { engine, live: test.serial };
	test(`skipped: ${engine}`, (t) => t.pass());
	return { engine, live: test.skip };
}

/** A local image of the host's static busybox, its applets found as `busybox NAME`. */
export async function ensureTestImage(engine: Engine): Promise<void> {
	const there = await engine.call<unknown>({ method: 'GET', path: `/images/${TEST_IMAGE}/json` }).catch(() => undefined);
	if (there !== undefined) return;
	const binary = readFileSync('/bin/busybox');
	const archive = tar([
		{ name: 'bin/busybox', mode: 0o755, data: binary },
		{ name: 'bin/sh', mode: 0o755, data: binary },
		{ name: 'etc/passwd', mode: 0o644, data: Buffer.from('root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n') },
		{ name: 'tmp/.keep', mode: 0o644, data: Buffer.alloc(0) },
	]);
	const query = { fromSrc: '-', repo: TEST_REPOSITORY, tag: '1', changes: 'ENV PATH=/bin' };
	for await (const _ of await engine.stream({ method: 'POST', path: '/images/create', query, archive })) void _;
}

export interface TestShim {
	readonly runtime: GrpcClient<typeof RuntimeServiceService>;
	readonly images: GrpcClient<typeof ImageServiceService>;
	readonly dir: string;
	/** Stops this shim's process part and starts a new one on the same data. */
	restart(): Promise<void>;
	stop(): Promise<void>;
}

export async function startTestShim(
	name: string,
	log: Log = noLog,
	more: Partial<ShimOptions> = {},
	parent: string = tmpdir(),
): Promise<TestShim> {
	const dir = await mkdtemp(join(parent, `kubeling-${name}-`));
	const socketPath = join(dir, 'cri.sock');
	const options: ShimOptions = {
		socketPath,
		dockerHost: ENGINE_SOCKET,
		dataDir: join(dir, 'data'),
		clusterName: name,
		network: 'bridge',
		...more,
	};
	const begin = async (): Promise<() => Promise<void>> => {
		const stop = new AbortController();
		const ready = Promise.withResolvers<void>();
		const done = createShim(options, { clock: realClock, log, metrics: createMetrics() }).run(stop.signal, ready.resolve);
		await Promise.race([ready.promise, done]);
		return async () => {
			stop.abort();
			await done;
		};
	};
	let end = await begin();
	const runtime = await grpcClient(RuntimeServiceService, { address: socketPath, clock: realClock });
	const images = await grpcClient(ImageServiceService, { address: socketPath, clock: realClock });
	return {
		runtime,
		images,
		dir,
		restart: async () => {
			await end();
			end = await begin();
		},
		stop: async () => {
			runtime.close();
			images.close();
			await end();
			await destroyShim(options, { clock: realClock, log });
			await rm(dir, { recursive: true, force: true });
		},
	};
}

export function sandboxConfig(name: string, more: Partial<PodSandboxConfig> = {}): PodSandboxConfig {
	return {
		...PodSandboxConfig.decode(Buffer.alloc(0)),
		metadata: { name, namespace: 'default', uid: `uid-${name}`, attempt: 0 },
		hostname: name,
		labels: { app: name },
		linux: { cgroupParent: '', sysctls: {}, overhead: undefined, resources: undefined, securityContext: undefined },
		...more,
	};
}

export function containerConfig(name: string, command: readonly string[], more: Partial<ContainerConfig> = {}): ContainerConfig {
	return {
		...ContainerConfig.decode(Buffer.alloc(0)),
		metadata: { name, attempt: 0 },
		image: { image: TEST_IMAGE, annotations: {}, userSpecifiedImage: TEST_IMAGE, runtimeHandler: '', imageRef: '' },
		command: [...command],
		logPath: `${name}.log`,
		...more,
	};
}

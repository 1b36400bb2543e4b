/** What every Runtime must do. Run it on each implementation. */
import type { ExecutionContext, TestFn } from 'ava';
import type { Pod } from '../../api/gen/types.ts';
import type { PodRuntime, Runtime, RuntimeEvent, SandboxOptions } from '../../agent/runtime/runtime.ts';

export interface OpenedRuntime {
	readonly runtime: Runtime;
	/** A pod of one container named "c" that runs until it is told to end, and then ends with 0. */
	readonly pod: Pod;
	readonly imageId: string;
	readonly logDirectory: string;
	/** Resolves once a container that was started is ready to be told to end. */
	settled?(attempt: number): Promise<void>;
	dispose(): Promise<void>;
}

export function runtimeSuite(test: TestFn, name: string, open: () => Promise<OpenedRuntime>): void {
	const it = (rule: string, body: (t: ExecutionContext, opened: OpenedRuntime, signal: AbortSignal) => Promise<void>): void =>
		test.serial(`${name}: ${rule}`, async (t) => {
			const opened = await open();
			const stop = new AbortController();
			try {
				await body(t, opened, stop.signal);
			} finally {
				stop.abort();
				await opened.dispose();
			}
		});

	const sandboxOf = ({ logDirectory }: OpenedRuntime): SandboxOptions => ({
		attempt: 0,
		logDirectory,
		hostname: 'h',
		dns: { servers: [], searches: [], options: [] },
		cgroupParent: '',
		runtimeHandler: '',
	});
	const create = (opened: OpenedRuntime, sandboxId: string, attempt: number, signal: AbortSignal): Promise<string> => {
		const sandbox = sandboxOf(opened);
		const options = {
			attempt,
			imageId: opened.imageId,
			env: [],
			command: opened.pod.spec?.containers[0]?.command ?? [],
			args: [],
			mounts: [],
			logPath: `c/${attempt}.log`,
			annotations: {},
			sandbox,
		};
		return opened.runtime.createContainer(sandboxId, opened.pod, 'c', options, signal);
	};
	const look = async ({ runtime, pod }: OpenedRuntime, signal: AbortSignal): Promise<PodRuntime | undefined> =>
		runtime.pod(pod.metadata.uid ?? '', signal);

	it('a pod goes from nothing to running to gone', async (t, opened, signal) => {
		const { runtime, pod } = opened;
		t.is(await look(opened, signal), undefined);
		const sandboxId = await runtime.runSandbox(pod, sandboxOf(opened), signal);
		t.like((await look(opened, signal))?.sandboxes[0], { id: sandboxId, ready: true, attempt: 0 });
		t.is((await look(opened, signal))?.sandboxes[0]?.ips.length, 1);
		t.deepEqual(await runtime.sandbox(sandboxId, signal), (await look(opened, signal))?.sandboxes[0]);
		const id = await create(opened, sandboxId, 0, signal);
		t.like((await look(opened, signal))?.containers[0], { id, name: 'c', state: 'created', attempt: 0, sandboxId });
		await runtime.startContainer(id, signal);
		t.is((await look(opened, signal))?.containers[0]?.state, 'running');
		const states = (await runtime.states(signal)).find(({ uid }) => uid === pod.metadata.uid);
		t.like(states, { name: pod.metadata.name, namespace: pod.metadata.namespace });
		t.like(states?.sandboxes, [{ id: sandboxId, ready: true }]);
		t.like(states?.containers, [{ id, state: 'running' }]);
		await opened.settled?.(0);
		await runtime.stopContainer(id, 30_000, signal);
		t.like((await look(opened, signal))?.containers[0], { state: 'exited', exitCode: 0 });
		t.is((await runtime.states(signal)).find(({ uid }) => uid === pod.metadata.uid)?.containers[0]?.state, 'exited');
		await runtime.stopSandbox(sandboxId, signal);
		t.false((await look(opened, signal))?.sandboxes[0]?.ready);
		await runtime.removeSandbox(sandboxId, signal);
		t.is(await look(opened, signal), undefined);
		await t.throwsAsync(runtime.sandbox(sandboxId, signal), { code: 'NotFound' });
	});

	it('what is already done is success', async (t, opened, signal) => {
		const { runtime, pod } = opened;
		const sandboxId = await runtime.runSandbox(pod, sandboxOf(opened), signal);
		const id = await create(opened, sandboxId, 0, signal);
		await runtime.startContainer(id, signal);
		for (const _ of [1, 2]) await runtime.stopContainer(id, 2000, signal);
		for (const _ of [1, 2]) await runtime.removeContainer(id, signal);
		for (const _ of [1, 2]) await runtime.stopSandbox(sandboxId, signal);
		for (const _ of [1, 2]) await runtime.removeSandbox(sandboxId, signal);
		t.pass();
	});

	it('newest containers come first', async (t, opened, signal) => {
		const { runtime, pod } = opened;
		const sandboxId = await runtime.runSandbox(pod, sandboxOf(opened), signal);
		const first = await create(opened, sandboxId, 0, signal);
		await runtime.startContainer(first, signal);
		await runtime.stopContainer(first, 2000, signal);
		const second = await create(opened, sandboxId, 1, signal);
		t.deepEqual(
			(await look(opened, signal))?.containers.map((c) => c.id),
			[second, first],
		);
		await runtime.removeSandbox(sandboxId, signal);
	});

	it('what is used is told of every pod that runs, or of one', async (t, opened, signal) => {
		const { runtime, pod } = opened;
		const { uid = '', name } = pod.metadata;
		const twin = { ...pod, metadata: { ...pod.metadata, name: `${name}-twin`, uid: `${uid}-twin` } };
		const [sandboxId, twinId] = [
			await runtime.runSandbox(pod, sandboxOf(opened), signal),
			await runtime.runSandbox(twin, sandboxOf(opened), signal),
		];
		const told = async (of?: string): Promise<readonly string[]> =>
			(await runtime.usage(signal, of))
				.map((usage) => usage.uid)
				.filter((of) => [uid, twin.metadata.uid].includes(of))
				.toSorted();
		t.deepEqual(await told(), [uid, twin.metadata.uid]);
		t.deepEqual(await told(uid), [uid]);
		await runtime.stopSandbox(twinId, signal);
		t.deepEqual(await told(uid), [uid]);
		t.true((await told()).includes(uid));
		for (const id of [sandboxId, twinId]) await runtime.removeSandbox(id, signal);
		t.deepEqual(await told(uid), []);
	});

	it('an end is told', async (t, opened, signal) => {
		const { runtime, pod } = opened;
		const told: RuntimeEvent[] = [];
		const stopped = (async () => {
			for await (const event of runtime.events(signal)) {
				told.push(event);
				if (event.type === 'stopped') return;
			}
		})();
		const sandboxId = await runtime.runSandbox(pod, sandboxOf(opened), signal);
		const id = await create(opened, sandboxId, 0, signal);
		await runtime.startContainer(id, signal);
		await runtime.stopContainer(id, 2000, signal);
		await stopped;
		t.like(
			told.find((e) => e.type === 'stopped' && e.containerId === id),
			{ podUid: pod.metadata.uid },
		);
		await runtime.removeSandbox(sandboxId, signal);
	});

	it('a sandbox that ends takes its containers with it', async (t, opened, signal) => {
		const { runtime, pod } = opened;
		const sandboxId = await runtime.runSandbox(pod, sandboxOf(opened), signal);
		const id = await create(opened, sandboxId, 0, signal);
		await runtime.startContainer(id, signal);
		await runtime.stopSandbox(sandboxId, signal);
		const seen = await look(opened, signal);
		t.like(seen?.containers[0], { id, state: 'exited' });
		t.is(seen?.sandboxes[0]?.ready, false);
		await t.throwsAsync(create(opened, sandboxId, 1, signal), undefined, 'nothing is made in a sandbox that has ended');
		await runtime.removeSandbox(sandboxId, signal);
		t.is(await look(opened, signal), undefined);
	});

	it('a new sandbox of the same pod comes first', async (t, opened, signal) => {
		const { runtime, pod } = opened;
		const first = await runtime.runSandbox(pod, sandboxOf(opened), signal);
		await runtime.stopSandbox(first, signal);
		const second = await runtime.runSandbox(pod, { ...sandboxOf(opened), attempt: 1 }, signal);
		t.deepEqual(
			(await look(opened, signal))?.sandboxes.map((s) => [s.id, s.ready, s.attempt]),
			[
				[second, true, 1],
				[first, false, 0],
			],
		);
		for (const id of [first, second]) await runtime.removeSandbox(id, signal);
	});

	it('commands run in what runs', async (t, opened, signal) => {
		const { runtime, pod } = opened;
		const sandboxId = await runtime.runSandbox(pod, sandboxOf(opened), signal);
		const id = await create(opened, sandboxId, 0, signal);
		await t.throwsAsync(runtime.exec(id, ['busybox', 'true'], 0, signal));
		await runtime.startContainer(id, signal);
		t.is((await runtime.exec(id, ['busybox', 'true'], 60_000, signal)).exitCode, 0);
		await runtime.removeSandbox(sandboxId, signal);
	});

	it('knows its images, and only those', async (t, opened, signal) => {
		const { runtime, pod } = opened;
		const image = await runtime.image(pod.spec?.containers[0]?.image ?? '', signal);
		t.is(image?.id, opened.imageId);
		t.is(await runtime.image('nobody/has-this:1', signal), undefined);
		t.true((await runtime.images(signal)).some((i) => i.id === opened.imageId));
	});

	it('a container that does not exist is an error to start, and no error to stop or remove', async (t, opened, signal) => {
		const { runtime } = opened;
		await t.throwsAsync(runtime.startContainer('0123456789abcdef', signal));
		await runtime.stopContainer('0123456789abcdef', 1000, signal);
		await runtime.removeContainer('0123456789abcdef', signal);
	});
}

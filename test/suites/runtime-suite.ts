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
		const id = await create(opened, sandboxId, 0, signal);
		t.like((await look(opened, signal))?.containers[0], { id, name: 'c', state: 'created', attempt: 0, sandboxId });
		await runtime.startContainer(id, signal);
		t.is((await look(opened, signal))?.containers[0]?.state, 'running');
		await runtime.stopContainer(id, 2000, signal);
		t.like((await look(opened, signal))?.containers[0], { state: 'exited', exitCode: 0 });
		await runtime.stopSandbox(sandboxId, signal);
		t.false((await look(opened, signal))?.sandboxes[0]?.ready);
		await runtime.removeSandbox(sandboxId, signal);
		t.is(await look(opened, signal), undefined);
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
}

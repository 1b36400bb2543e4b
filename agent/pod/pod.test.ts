/** What is decided about a pod: its worker's states, the plan of a round, back-off, environment. */
import test from 'ava';
import type { Container, Pod, PodSpec } from '../../api/gen/types.ts';
import { container, pod, seen, status } from '../../test/fakes/pods.ts';
import type { ContainerRuntime } from '../runtime/runtime.ts';
import { amountOf, inUnitsOf } from './amounts.ts';
import { nextEntry, remainingMs } from './backoff.ts';
import { environmentOf } from './env.ts';
import { valueIn } from './env-file.ts';
import { expand } from './expansion.ts';
import { plan, type Knowledge } from './plan.ts';
import { startLatency } from './start-latency.ts';
import { next, type WorkerState } from './state.ts';

const deleted = (seconds: number): Pod => pod({}, { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: seconds });

const syncing: WorkerState = { phase: 'syncing', pod: pod() };
const dying: WorkerState = { phase: 'terminating', pod: deleted(30), graceMs: 30_000, why: 'deleted' };
for (const [name, from, event, want] of [
	['an update goes on', syncing, { type: 'updated', pod: pod() }, { phase: 'syncing' }],
	[
		'a deletion starts termination',
		syncing,
		{ type: 'updated', pod: deleted(30) },
		{ phase: 'terminating', graceMs: 30_000, why: 'deleted' },
	],
	['a pod is never given less than a second', syncing, { type: 'updated', pod: deleted(0) }, { graceMs: 1000 }],
	['a later deletion shortens the grace', dying, { type: 'updated', pod: deleted(5) }, { graceMs: 5000 }],
	['and never lengthens it', dying, { type: 'updated', pod: deleted(60) }, { graceMs: 30_000 }],
	['gone from the API has what is left of its grace', dying, { type: 'removed' }, { graceMs: 30_000, why: 'removed' }],
	[
		'gone without a word has the grace of its spec',
		{ phase: 'syncing', pod: pod({ terminationGracePeriodSeconds: 7 }) },
		{ type: 'removed' },
		{ phase: 'terminating', graceMs: 7000, why: 'removed' },
	],
	['nobody knows what an orphan may have', syncing, { type: 'ended', why: 'orphan' }, { graceMs: 1000, why: 'orphan' }],
	['a pod that ran out ends', syncing, { type: 'ended', why: 'completed' }, { phase: 'terminating', why: 'completed' }],
	['stopped is terminated', dying, { type: 'stopped' }, { phase: 'terminated' }],
	['cleaned before stopped means nothing', dying, { type: 'cleaned' }, { phase: 'terminating' }],
	['cleaned is finished', { phase: 'terminated', pod: pod(), why: 'completed' }, { type: 'cleaned' }, { phase: 'finished' }],
	[
		'a finished pod that is deleted says so',
		{ phase: 'finished', pod: pod(), why: 'completed' },
		{ type: 'updated', pod: deleted(1) },
		{ phase: 'finished', why: 'deleted' },
	],
] as const)
	test(`next(): ${name}`, (t) => t.like(next(from as WorkerState, event), want as object));

test('back-off doubles, is capped and forgotten', (t) => {
	let entry = nextEntry(undefined, 0, 0);
	t.is(remainingMs(entry, 1000, 2000), 9000);
	for (const want of [20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
		entry = nextEntry(entry, 1000, 1000);
		t.is(entry.delayMs, want);
	}
	t.is(remainingMs(entry, 700_000, 700_000), 0);
	for (const want of [5000, 5000]) t.is(nextEntry(undefined, 0, 0, 5000).delayMs, want);
	t.is(nextEntry({ delayMs: 40_000, lastUpdate: 0 }, 1000, 1000, 60_000).delayMs, 60_000);
});

const known: Knowledge = {
	...{ now: 2000, started: () => true, failed: () => undefined, backoff: () => undefined },
	...{ status: {}, starts: () => undefined, resetAt: () => undefined },
};
const resets: Partial<PodSpec> = {
	initContainers: [{ name: 'a', image: 'i' }],
	containers: [
		{
			name: 'c',
			image: 'i',
			restartPolicy: 'Never',
			restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
		},
		{ name: 'd', image: 'i' },
	],
};
const restarting = { status: { conditions: [{ type: 'AllContainersRestarting', status: 'True' }] } };
const inits = {
	initContainers: [
		{ name: 'a', image: 'i' },
		{ name: 'side', image: 'i', restartPolicy: 'Always' },
		{ name: 'b', image: 'i' },
	],
};
const exited = (code: number): Partial<ContainerRuntime> => ({ exitCode: code });

for (const [name, wanted, runtime, knowledge, want] of [
	['a new pod gets a sandbox and its containers', pod(), undefined, {}, { sandbox: 0, start: ['c'] }],
	['a running one is left alone', pod(), seen(container('c', 'running')), {}, {}],
	['a container that ended is started again', pod(), seen(container('c', 'exited')), {}, { start: ['c 1'] }],
	[
		'within its back-off it waits',
		pod(),
		seen(container('c', 'exited')),
		{ backoff: () => ({ delayMs: 10_000, lastUpdate: 0 }) },
		{ waiting: ['c'], againMs: 9000 },
	],
	['OnFailure starts what failed', pod({ restartPolicy: 'OnFailure' }), seen(container('c', 'exited', exited(1))), {}, { start: ['c 1'] }],
	['OnFailure lets success be', pod({ restartPolicy: 'OnFailure' }), seen(container('c', 'exited')), {}, { killPod: true }],
	['Never lets failure be', pod({ restartPolicy: 'Never' }), seen(container('c', 'exited', exited(1))), {}, { killPod: true }],
	[
		'another image replaces the container',
		pod(),
		seen(container('c', 'running', { hash: 'x' })),
		{},
		{ kill: ['Container c definition changed, will be restarted'], againMs: 0 },
	],
	[
		'a failed liveness probe restarts',
		pod(),
		seen(container('c', 'running')),
		{ failed: () => 'liveness' },
		{ kill: ['Container c failed liveness probe, will be restarted'], againMs: 0 },
	],
	[
		'what nobody knows the state of is ended before it starts again',
		pod(),
		seen(container('c', 'unknown')),
		{},
		{ kill: ['Container is in "unknown" state, try killing it before restart'], start: ['c 1'] },
	],
	[
		'where nothing goes on, a failed probe ends the pod as a whole',
		pod({ restartPolicy: 'Never' }),
		seen(container('c', 'running')),
		{ failed: () => 'liveness' },
		{ killPod: true },
	],
	['the first init container comes first', pod(inits), undefined, {}, { sandbox: 0, start: ['a'] }],
	['nothing starts while it runs', pod(inits), seen(container('a', 'running')), {}, {}],
	['then the sidecar', pod(inits), seen(container('a', 'exited')), {}, { start: ['side'] }],
	[
		'the next waits until the sidecar has started',
		pod(inits),
		seen(container('side', 'running'), container('a', 'exited')),
		{ started: () => false },
		{},
	],
	['and then starts', pod(inits), seen(container('side', 'running'), container('a', 'exited')), {}, { start: ['b'] }],
	[
		'regular containers come last',
		pod(inits),
		seen(container('b', 'exited'), container('side', 'running'), container('a', 'exited')),
		{},
		{ start: ['c'] },
	],
	['a failed init container is tried again', pod(inits), seen(container('a', 'exited', exited(1))), {}, { start: ['a 1'] }],
	['but not with Never', pod({ ...inits, restartPolicy: 'Never' }), seen(container('a', 'exited', exited(1))), {}, { killPod: true }],
	[
		'a sidecar that ended is started again beside the others',
		pod({ ...inits, restartPolicy: 'Never' }),
		seen(container('c', 'running'), container('side', 'exited')),
		{},
		{ start: ['side 1'] },
	],
	[
		'a sidecar whose probe fails is replaced, which goes without saying',
		pod(inits),
		seen(container('c', 'running'), container('side', 'running')),
		{ failed: (x: ContainerRuntime) => (x.name === 'side' ? 'liveness' : undefined) },
		{ kill: ['Init container side failed liveness probe'], againMs: 0 },
	],
	[
		'a sidecar of another image likewise',
		pod(inits),
		seen(container('c', 'running'), container('side', 'running', { hash: 'x' })),
		{},
		{ kill: ['Init container side definition changed'], againMs: 0 },
	],
	[
		'a sidecar in an unknown state is ended before it starts again',
		pod(inits),
		seen(container('c', 'running'), container('side', 'unknown')),
		{},
		{ kill: ['Init container is in "unknown" state, try killing it before restart'], start: ['side 1'] },
	],
	[
		'an init container in an unknown state too',
		pod(inits),
		seen(container('a', 'unknown')),
		{},
		{ kill: ['Init container is in "unknown" state, try killing it before restart'], againMs: 0 },
	],
	['but not where nothing restarts', pod({ ...inits, restartPolicy: 'Never' }), seen(container('a', 'unknown')), {}, { killPod: true }],
	[
		'a sidecar that crashes does not keep a pod that is done',
		pod({ initContainers: ['x', 'y'].map((n) => ({ name: n, image: 'i', restartPolicy: 'Always' })), restartPolicy: 'Never' }),
		seen(container('c', 'exited'), container('y', 'running'), container('x', 'exited', exited(1))),
		{ backoff: () => ({ delayMs: 10_000, lastUpdate: 0 }) },
		{ killPod: true },
	],
	[
		'a rule restarts all: those that called for it go last',
		pod(resets),
		seen(
			container('d', 'running'),
			container('c', 'exited', exited(42)),
			container('c', 'exited', { id: 'c-old' }),
			container('a', 'exited'),
		),
		{},
		{ reset: ['d-id', 'a-id', 'c-id', 'c-old'] },
	],
	['another exit code does not', pod(resets), seen(container('d', 'running'), container('c', 'exited', exited(1))), {}, {}],
	['a restart once begun goes on', pod(resets), seen(container('a', 'exited')), restarting, { reset: ['a-id'] }],
	['and begins anew when all are gone', pod(resets), seen(), { ...restarting, starts: () => 3 }, { start: ['a 3'] }],
	[
		'who called for it waits out its back-off',
		pod({ containers: resets.containers ?? [] }),
		seen(),
		{ resetAt: (n: string) => (n === 'c' ? 1500 : undefined), backoff: () => ({ delayMs: 10_000, lastUpdate: 0 }) },
		{ start: ['d'], waiting: ['c'], againMs: 9500 },
	],
	[
		'what the runtime has lost is counted on',
		pod(),
		seen(),
		{ status: { containerStatuses: [{ ...status('c', { running: {} }), containerID: 'x://y', restartCount: 4 }] } },
		{ start: ['c 5'] },
	],
	[
		'a dead sandbox of a pod that never restarts is not',
		pod({ restartPolicy: 'Never' }),
		{ ...seen(container('c', 'exited')), sandboxes: [{ id: 's', attempt: 0, ready: false, createdAt: 0, ips: [], hostNetwork: false }] },
		{},
		{ killPod: true },
	],
	[
		'a dead sandbox is replaced where one container restarts',
		pod({
			restartPolicy: 'Never',
			containers: [
				{ name: 'c', image: 'i', restartPolicy: 'Always' },
				{ name: 'd', image: 'i' },
			],
		}),
		{
			...seen(container('c', 'exited'), container('d', 'exited')),
			sandboxes: [{ id: 's', attempt: 0, ready: false, createdAt: 0, ips: [], hostNetwork: false }],
		},
		{},
		{ killPod: true, sandbox: 1, start: ['c 1'] },
	],
	[
		'a dead sandbox is replaced',
		pod(),
		{ ...seen(container('c', 'exited')), sandboxes: [{ id: 's', attempt: 2, ready: false, createdAt: 0, ips: [], hostNetwork: false }] },
		{},
		{ killPod: true, sandbox: 3, start: ['c 1'] },
	],
] as const)
	test(`plan(): ${name}`, (t) => {
		const p = plan(wanted, runtime, { ...known, ...(knowledge as Partial<Knowledge>) });
		const got = {
			killPod: p.killPod || undefined,
			sandbox: p.sandboxAttempt,
			start: p.start.map((a) => `${a.container.spec.name}${a.attempt === 0 ? '' : ` ${a.attempt}`}`),
			...(p.reset.length === 0 ? {} : { reset: p.reset.map((c) => c.id) }),
			kill: p.kill.map((k) => k.message),
			waiting: [...p.waiting.keys()],
			againMs: p.againMs,
		};
		t.deepEqual(got, {
			killPod: undefined,
			sandbox: undefined,
			start: [],
			kill: [],
			waiting: [],
			againMs: undefined,
			...(want as object),
		} as typeof got);
	});

for (const [text, want] of [
	['$(A)-$(B)', 'a-$(B)'],
	['$$(A)', '$(A)'],
	['$A $(A', '$A $(A'],
	['100$', '100$'],
] as const)
	test(`expand(): ${text}`, (t) =>
		t.is(
			expand(text, (n) => ({ A: 'a' })[n]),
			want,
		));

test('environmentOf(): envFrom, then env over earlier values, services last', (t) => {
	const context = {
		pod: pod(),
		podIps: ['10.0.0.1'],
		hostIps: ['192.0.2.1'],
		allocatable: { cpu: '4' },
		serviceVariables: { A_SERVICE_HOST: '1.2.3.4', X: 'service' },
		configMap: () => ({ metadata: {}, data: { k: 'v' } }),
		secret: () => undefined,
		file: (volume: string, path: string) => (path === 'app.env' ? `IN='${volume}'` : undefined),
	};
	const c: Container = {
		name: 'c',
		resources: { limits: { memory: '1Mi' } },
		envFrom: [{ prefix: 'P_', configMapRef: { name: 'm' } }, { secretRef: { name: 's', optional: true } }],
		env: [
			{ name: 'X', value: '$(P_k)/$(A_SERVICE_HOST)' },
			{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
			{ name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
			{ name: 'MEM', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Ki' } } },
			{ name: 'FILE', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'app.env', key: 'IN' } } },
			{ name: 'NO_KEY', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'app.env', key: 'OUT', optional: true } } },
			{ name: 'NO_FILE', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'other', key: 'IN', optional: true } } },
		],
	};
	const want = { P_k: 'v', X: 'v/1.2.3.4', IP: '10.0.0.1', CPU: '4', MEM: '1024', FILE: 'v', A_SERVICE_HOST: '1.2.3.4' };
	t.deepEqual(Object.fromEntries(environmentOf(c, { ...context, pod: pod({ containers: [c] }) }).map((e) => [e.name, e.value])), want);
	const lacking: Container = { name: 'c', env: [{ name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] };
	t.throws(() => environmentOf(lacking, context), { message: 'secret "s" not found' });
	for (const [path, message] of [
		['app.env', 'environment variable key "k" not found in file "app.env"'],
		['other', 'environment variable file "other" not found in volume "v"'],
	] as const) {
		const env = [{ name: 'F', valueFrom: { fileKeyRef: { volumeName: 'v', path, key: 'k' } } }];
		t.throws(() => environmentOf({ name: 'c', env }, context), { message });
	}
});

for (const [name, text, want] of [
	['a value', "K='v'\n", 'v'],
	['the last line without an end', "A='a'\nK='v'", 'v'],
	['as it stands between the quotes', 'K=\' $x "y" # \\n\'', ' $x "y" # \\n'],
	['over several lines', "K='a\r\nb\n\nc'\n", 'a\nb\n\nc'],
	['comments, blanks and what follows', "# K='no'\n \t\n  K='v' # yes\n", 'v'],
	['the first of two', "K='1'\nK='2'\n", '1'],
	['nothing', "K=''\n", undefined],
	['nothing before a blank', "K= 'v'\nK='w'\n", undefined],
	['another name before a blank', "A= 'v'\nK='w'\n", 'w'],
	['no such name', "A='a'\n", undefined],
	['what stands wrong behind it does not count', "K='v'\nA\n", 'v'],
	['no equals sign', 'K\n', /^invalid environment variable format at line 1: missing '='$/],
	['no name', "\n='v'\n", /at line 2: empty variable name$/],
	['a blank before the sign', "K ='v'\n", /at line 1: whitespace before '=' is not allowed$/],
	['no quotes', 'K=v\n', /at line 1: value must be enclosed in single quotes$/],
	['an open quote', "A='a'\nK='v\nw\n", /starting at line 2: unclosed single quote$/],
	['more behind the quotes', "K='v\n'x\n", /at line 2: unexpected content after closing quote$/],
] as const)
	test(`valueIn(): ${name}`, (t) => {
		if (want instanceof RegExp) t.throws(() => valueIn(text, 'K'), { message: want });
		else t.is(valueIn(text, 'K'), want);
	});

test('amounts', (t) => {
	t.deepEqual(['100m', '1Ki', '1.5', '2e3', '1M'].map(amountOf), [0.1, 1024, 1.5, 2000, 1e6]);
	t.is(inUnitsOf(0.1, undefined), '1');
	t.is(inUnitsOf(0.1, '1m'), '100');
});

const startedPod = (more: Partial<Pod['spec'] & object> = {}): Pod => ({
	metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
	spec: { containers: [], ...more },
	status: {
		containerStatuses: [{ name: 'c', state: { running: {} } }] as never,
		initContainerStatuses: [
			{ name: 'i', state: { terminated: { exitCode: 0, startedAt: '2026-01-01T00:00:02Z', finishedAt: '2026-01-01T00:00:05Z' } } },
		] as never,
	},
});
const at = (seconds: number): number => Date.UTC(2026, 0, 1) + seconds * 1000;
for (const [name, pod, pulls, want] of [
	['without init containers', startedPod(), [], { totalMs: 10_000, sliMs: 7000 }],
	[
		'nor pulls, those at the same time counted once',
		startedPod(),
		[
			{ from: at(6), to: at(8) },
			{ from: at(7), to: at(9) },
		],
		{ totalMs: 10_000, sliMs: 4000 },
	],
	[
		'not told of a pod with a claim',
		startedPod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }),
		[],
		{ totalMs: 10_000, sliMs: undefined },
	],
	['not told before it runs', { ...startedPod(), status: {} }, [], undefined],
] as const)
	test(`startLatency(): ${name}`, (t) => t.deepEqual(startLatency(pod as Pod, pulls, at(10)), want));

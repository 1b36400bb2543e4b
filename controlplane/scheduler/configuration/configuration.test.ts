import test from 'ava';
import { DEFAULT_ARGS } from '../plugin-args.ts';
import { defaultSettings, parseSchedulerConfiguration, type SchedulerSettings } from './configuration.ts';

const HEAD = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';
const parsed = (body: object): SchedulerSettings => parseSchedulerConfiguration(HEAD + flow(body), 'file');
const flow = (body: object): string =>
	Object.entries(body)
		.map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
		.join('');
const profile = (one: object): object => ({ profiles: [one] });
const args = (name: string, given: object): object => profile({ pluginConfig: [{ name, args: given }] });
const point = (name: string): { utilization: number; score: number } => ({ utilization: Number(name), score: 1 });
const ratio = (shape: readonly object[]): object =>
	args('NodeResourcesFit', { scoringStrategy: { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape } } });
const spread = (...defaultConstraints: readonly object[]): object =>
	args('PodTopologySpread', { defaultingType: 'List', defaultConstraints });
const ZONE = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
const at = 'profiles[0].pluginConfig[0].args';

test('a file that says nothing means the same as no file', (t) => {
	t.deepEqual(parsed({}), defaultSettings());
	const { profiles, ...rest } = defaultSettings();
	t.deepEqual(rest, { podInitialBackoffSeconds: 1, podMaxBackoffSeconds: 10, extenders: [], unused: [] });
	t.deepEqual([profiles.length, profiles[0]?.schedulerName, profiles[0]?.args], [1, 'default-scheduler', DEFAULT_ARGS]);
});

test("who elects a leader has upstream's lease and times, unless told", (t) => {
	t.deepEqual(parsed({ leaderElection: { leaderElect: true, retryPeriod: '1s', resourceName: 'mine' } }).leaderElection, {
		lease: 'kube-system/mine',
		timing: { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 1_000 },
	});
});

test('what is said is read: several profiles, a share for all and one of its own, arguments', (t) => {
	const { profiles, ...rest } = parsed({
		...{ podInitialBackoffSeconds: 2, podMaxBackoffSeconds: 3, percentageOfNodesToScore: 30, parallelism: 4, extenders: [] },
		leaderElection: { leaderElect: false, resourceName: 'x' },
		clientConnection: { qps: 5.5, burst: 6 },
		profiles: [
			{ schedulerName: 'a', percentageOfNodesToScore: 100 },
			{ schedulerName: 'b', pluginConfig: [{ name: 'VolumeBinding', args: { kind: 'VolumeBindingArgs', bindTimeoutSeconds: 7 } }] },
		],
	});
	t.deepEqual(rest, { podInitialBackoffSeconds: 2, podMaxBackoffSeconds: 3, extenders: [], unused: ['parallelism', 'clientConnection'] });
	t.deepEqual(
		profiles.map((one) => [one.schedulerName, one.percentageOfNodesToScore, one.args.VolumeBinding.bindTimeoutSeconds]),
		[
			['a', 100, 600],
			['b', 30, 7],
		],
	);
});

for (const [name, body, fault] of [
	['a field that there is not', { parallelsim: 1 }, 'strict decoding error: unknown field "parallelsim"'],
	['one of a profile', profile({ plugin: {} }), 'unknown field "profiles[0].plugin"'],
	['one of arguments', args('NodeResourcesFit', { ignored: [] }), `unknown field "${at}.ignored"`],
	['a point that there is not', profile({ plugins: { filters: {} } }), 'unknown field "profiles[0].plugins.filters"'],
	['another type', { parallelism: 'x' }, 'parallelism: Invalid value: "x": must be a number'],
	['no threads', { parallelism: 0 }, 'parallelism: Invalid value: 0: should be an integer value greater than zero'],
	['a share', { percentageOfNodesToScore: 101 }, 'percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]'],
	[
		'a share of a profile',
		profile({ percentageOfNodesToScore: -1 }),
		'profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]',
	],
	['the first wait', { podInitialBackoffSeconds: 0 }, 'podInitialBackoffSeconds: Invalid value: 0: must be greater than 0'],
	[
		'the longest wait',
		{ podInitialBackoffSeconds: 20 },
		'podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to PodInitialBackoffSeconds',
	],
	['a burst', { clientConnection: { burst: -1 } }, 'clientConnection.burst: Invalid value: -1: must be non-negative'],
	[
		'an election by another lock',
		{ leaderElection: { leaderElect: true, resourceLock: 'endpoints' } },
		'leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"',
	],
	[
		'a lease that ends before it must be renewed',
		{ leaderElection: { leaderElect: true, leaseDuration: '9s' } },
		'leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`',
	],
	[
		'no time between tries',
		{ leaderElection: { leaderElect: true, retryPeriod: '-1s' } },
		'leaderElection.retryPeriod: Invalid value: "-1s": must be greater than zero',
	],
	[
		'one try a deadline',
		{ leaderElection: { leaderElect: true, retryPeriod: '9s' } },
		"couldn't create leader elector: renewDeadline must be greater than retryPeriod*JitterFactor",
	],
	[
		'an extender whose scores weigh nothing',
		{ extenders: [{ urlPrefix: 'http://x', prioritizeVerb: 'p' }] },
		'extenders[0].weight: Invalid value: 0: must have a positive weight applied to it',
	],
	[
		'two that bind',
		{ extenders: [{ bindVerb: 'b' }, { bindVerb: 'b' }] },
		'extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind',
	],
	[
		'a resource of two extenders',
		{ extenders: [{ managedResources: [{ name: 'a.com/x' }] }, { managedResources: [{ name: 'a.com/x' }] }] },
		'extenders[1].managedResources[0].name: Invalid value: "a.com/x": duplicate extender managed resource name',
	],
	[
		'a resource of Kubernetes',
		{ extenders: [{ managedResources: [{ name: 'cpu' }] }] },
		'extenders[0].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name',
	],
	['a second profile without a name', { profiles: [{ schedulerName: 'a' }, {}] }, 'profiles[1].schedulerName: Required value'],
	[
		'a name twice',
		{ profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }] },
		'profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"',
	],
	[
		'a plugin of old',
		profile({ plugins: { filter: { enabled: [{ name: 'EBSLimits' }] } } }),
		'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "kubescheduler.config.k8s.io/v1"',
	],
	[
		'arguments twice',
		profile({ pluginConfig: [{ name: 'NodeAffinity' }, { name: 'NodeAffinity' }] }),
		'profiles[0].pluginConfig[1]: Duplicate value: "NodeAffinity"',
	],
	['arguments of nobody', args('Mine', {}), 'profiles[0].pluginConfig[0].name: Not found: "Mine"'],
	['arguments that are not taken', args('ImageLocality', {}), `${at}: Forbidden: plugin "ImageLocality" takes no arguments here`],
	[
		'a search of less than no time',
		args('DynamicResources', { filterTimeout: '-60s' }),
		`${at}.filterTimeout: Invalid value: "-1m0s": must be zero or positive`,
	],
	[
		'too little time for devices to get ready',
		args('DynamicResources', { bindingTimeout: '999ms' }),
		`${at}.bindingTimeout: Invalid value: "999ms": must be at least 1 second`,
	],
	[
		'arguments of another',
		args('NodeAffinity', { kind: 'VolumeBindingArgs' }),
		'args for plugin NodeAffinity were not of type NodeAffinityArgs.kubescheduler.config.k8s.io',
	],
	[
		'no candidates',
		args('DefaultPreemption', { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 }),
		`${at}.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute`,
	],
	[
		'a weight of affinity',
		args('InterPodAffinity', { hardPodAffinityWeight: 101 }),
		`${at}.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]`,
	],
	[
		'an operator',
		args('NodeAffinity', {
			addedAffinity: {
				requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Is' }] }] },
			},
		}),
		'nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
	],
	[
		'a weight of balance',
		args('NodeResourcesBalancedAllocation', { resources: [{ name: 'cpu', weight: 2 }] }),
		`${at}.resources[0].weight: Invalid value: 2: must be 1`,
	],
	[
		'a group with a slash',
		args('NodeResourcesFit', { ignoredResourceGroups: ['a/b'] }),
		`${at}.ignoredResourceGroups[0]: Invalid value: "a/b": resource group name can't contain '/'`,
	],
	[
		'a strategy',
		args('NodeResourcesFit', { scoringStrategy: { type: 'Most' } }),
		`${at}.scoringStrategy.type: Unsupported value: "Most": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"`,
	],
	[
		'a weight of a resource',
		args('NodeResourcesFit', { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 101 }] } }),
		`${at}.scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]`,
	],
	[
		'a curve without points',
		ratio([]),
		`${at}.scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point must be specified`,
	],
	[
		'a curve that goes back',
		ratio([point('5'), point('5')]),
		'shape[1].utilization: Invalid value: 5: values must be sorted in increasing order',
	],
	['a point beyond', ratio([point('101')]), 'shape[0].utilization: Invalid value: 101: not in valid range [0, 100]'],
	[
		'a curve of another strategy',
		args('NodeResourcesFit', { scoringStrategy: { type: 'LeastAllocated', requestedToCapacityRatio: { shape: [] } } }),
		`${at}.scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio`,
	],
	[
		'constraints beside those of the system',
		args('PodTopologySpread', { defaultConstraints: [ZONE] }),
		`${at}.defaultingType: Invalid value: "System": when .defaultConstraints are not empty`,
	],
	['a skew', spread({ ...ZONE, maxSkew: 0 }), `${at}.defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)`],
	[
		'a selector',
		spread({ ...ZONE, labelSelector: {} }),
		`${at}.defaultConstraints[0].labelSelector: Forbidden: constraint must not define`,
	],
	['a constraint twice', spread(ZONE, ZONE), `${at}.defaultConstraints[1]: Duplicate value: "{zone, DoNotSchedule}"`],
	[
		'a timeout',
		args('VolumeBinding', { bindTimeoutSeconds: -1 }),
		`${at}.bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value`,
	],
] as const)
	test(`refused: ${name}`, (t) => {
		const error = t.throws(() => parsed(body), { code: 'InvalidArgument' });
		t.true(error.message.includes(fault), error.message);
	});

for (const [name, text, fault] of [
	['another kind', 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: Pod\n', /no kind "Pod"/],
	['an older version', 'apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n', /v1beta3/],
	['no map', 'x', /must be a map/],
	['a key twice', `${HEAD}parallelism: 1\nparallelism: 2\n`, /Map keys must be unique/],
] as const)
	test(`refused: ${name}`, (t) => {
		t.throws(() => parseSchedulerConfiguration(text, 'file'), { code: 'InvalidArgument', message: fault });
	});

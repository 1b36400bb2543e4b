import test from 'ava';
import { divided, pluginsByPoint, type PluginSet, type PluginSets, type Point } from './plugin-sets.ts';

const set = (enabled: readonly (string | [string, number])[], disabled: readonly string[] = []): PluginSet => ({
	enabled: enabled.map((plugin) => (typeof plugin === 'string' ? { name: plugin } : { name: plugin[0], weight: plugin[1] })),
	disabled,
});
const SCORES = [
	'TaintToleration=3',
	'NodeAffinity=2',
	'NodeResourcesFit=1',
	'VolumeBinding=1',
	'PodTopologySpread=2',
	'InterPodAffinity=2',
];
const REST = ['DynamicResources=2', 'NodeResourcesBalancedAllocation=1', 'ImageLocality=1'];

for (const [name, sets, point, want] of [
	['by default', {}, 'score', [...SCORES, ...REST]],
	['none', { score: set([], ['*']) }, 'score', []],
	['one alone', { score: set([['ImageLocality', 5]], ['*']) }, 'score', ['ImageLocality=5']],
	['one not', { score: set([], ['ImageLocality']) }, 'score', [...SCORES, ...REST.slice(0, 2)]],
	[
		'another weight is said at the point, and goes first',
		{ score: set([['ImageLocality', 9]]) },
		'score',
		['ImageLocality=9', ...SCORES, ...REST.slice(0, 2)],
	],
	[
		'another weight is said for all points, and keeps its place',
		{ multiPoint: set([['ImageLocality', 9]]) },
		'score',
		[...SCORES, ...REST.slice(0, 2), 'ImageLocality=9'],
	],
	['a weight of 0 is 1', { score: set([['ImageLocality', 0]], ['*']) }, 'score', ['ImageLocality=1']],
	['not at any point', { multiPoint: set([], ['NodeAffinity']) }, 'preScore', preScoresBut('NodeAffinity')],
	['only these', { multiPoint: set(['DefaultBinder', 'NodeName', 'PrioritySort'], ['*']) }, 'filter', ['NodeName=1']],
	['at a point what is not everywhere', { multiPoint: set([], ['NodeName']), filter: set(['NodeName'], ['*']) }, 'filter', ['NodeName=1']],
] as const satisfies readonly (readonly [string, PluginSets, Point, readonly string[]])[])
	test(`plugins: ${name}`, (t) => {
		t.deepEqual(
			pluginsByPoint(sets)[point].map((plugin) => `${plugin.name}=${plugin.weight}`),
			want,
		);
	});

function preScoresBut(name: string): readonly string[] {
	return [...SCORES, 'NodeResourcesBalancedAllocation=1'].filter((one) => !one.startsWith(`${name}=`));
}

for (const [name, sets, fault] of [
	['that there is not', { score: set(['Mine']) }, 'ScorePlugin "Mine" does not exist'],
	['that there is not, everywhere', { multiPoint: set(['Mine']) }, 'PreFilterPlugin "Mine" does not exist'],
	['at a point where it does nothing', { score: set(['NodeName']) }, 'plugin "NodeName" does not extend ScorePlugin plugin'],
	['twice', { score: set(['ImageLocality', 'ImageLocality']) }, 'plugin "ImageLocality" already registered as "ScorePlugin"'],
	['twice everywhere', { multiPoint: set(['NodeName', 'NodeName']) }, 'plugin "NodeName" already registered as "FilterPlugin"'],
] as const)
	test(`plugins: one ${name}`, (t) => {
		t.throws(() => pluginsByPoint(sets), { code: 'InvalidArgument', message: fault });
	});

for (const [name, sets, want] of [
	['as they come', {}, []],
	['a filter that still looks at the pod', { filter: set([], ['NodePorts']) }, []],
	[
		'a filter without what it is prepared by',
		{ preFilter: set([], ['NodePorts']) },
		['plugin "NodePorts" is enabled for filter and not for preFilter, without which it cannot work'],
	],
	[
		'volumes that are found and not held',
		{ reserve: set([], ['VolumeBinding']) },
		['plugin "VolumeBinding" is enabled for preFilter and not for reserve, without which it cannot work'],
	],
] as const)
	test(`plugins cannot be divided: ${name}`, (t) => t.deepEqual(divided(pluginsByPoint(sets)), want));

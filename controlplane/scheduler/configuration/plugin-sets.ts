/** Which plugins run at which point of a decision: upstream's defaults, changed by what a profile enables and disables. Pure. */
import { AppError } from '../../../base/errors.ts';

export const POINTS = [
	...(['preFilter', 'filter', 'postFilter', 'reserve', 'preScore', 'score', 'preBind', 'bind', 'postBind', 'permit'] as const),
	...(['preEnqueue', 'queueSort', 'placementGenerate', 'placementScore'] as const),
] as const;
/** Upstream's extension points. */
export type Point = (typeof POINTS)[number];

export interface PluginRef {
	readonly name: string;
	/** Of its scores; 0 or absent is 1. */
	readonly weight?: number | undefined;
}

export interface PluginSet {
	readonly enabled: readonly PluginRef[];
	/** Names; "*" is all that come by themselves. */
	readonly disabled: readonly string[];
}

/** As a profile has them. */
export type PluginSets = Readonly<Partial<Record<Point | 'multiPoint', PluginSet>>>;
/** What runs, in order. */
export type PluginsByPoint = Readonly<Record<Point, readonly WeightedRef[]>>;

export interface WeightedRef {
	readonly name: string;
	readonly weight: number;
}

const FILTER = ['preFilter', 'filter'] as const;
const SCORE = ['preScore', 'score'] as const;
const HOLD = ['reserve', 'preBind'] as const;

/** Where each plugin has something to do. */
const WORKS_AT: Readonly<Record<string, readonly Point[]>> = {
	SchedulingGates: ['preEnqueue'],
	PrioritySort: ['queueSort'],
	NodeUnschedulable: ['filter'],
	NodeName: ['filter'],
	TaintToleration: ['filter', ...SCORE],
	NodeAffinity: [...FILTER, ...SCORE],
	NodePorts: FILTER,
	NodeResourcesFit: [...FILTER, ...SCORE],
	VolumeRestrictions: FILTER,
	NodeVolumeLimits: FILTER,
	VolumeBinding: [...FILTER, ...SCORE, ...HOLD],
	VolumeZone: FILTER,
	PodTopologySpread: [...FILTER, ...SCORE],
	InterPodAffinity: [...FILTER, ...SCORE],
	DynamicResources: ['preEnqueue', ...FILTER, 'postFilter', 'score', ...HOLD],
	DefaultPreemption: ['preEnqueue', 'postFilter'],
	NodeResourcesBalancedAllocation: SCORE,
	ImageLocality: ['score'],
	DefaultBinder: ['bind'],
	NodeDeclaredFeatures: FILTER,
};

/** Upstream's default plugins (pkg/scheduler/apis/config/v1/default_plugins.go), in order. */
const DEFAULTS: readonly PluginRef[] = [
	...['SchedulingGates', 'PrioritySort', 'NodeUnschedulable', 'NodeName'].map((name) => ({ name })),
	...[{ name: 'TaintToleration', weight: 3 }, { name: 'NodeAffinity', weight: 2 }, { name: 'NodePorts' }],
	...['NodeResourcesFit', 'VolumeRestrictions', 'NodeVolumeLimits', 'VolumeBinding', 'VolumeZone'].map((name) => ({ name })),
	...[
		{ name: 'PodTopologySpread', weight: 2 },
		{ name: 'InterPodAffinity', weight: 2 },
		{ name: 'DynamicResources', weight: 2 },
	],
	...['DefaultPreemption', 'NodeResourcesBalancedAllocation', 'ImageLocality', 'DefaultBinder'].map((name) => ({ name })),
	{ name: 'NodeDeclaredFeatures' },
];

const NONE: PluginSet = { enabled: [], disabled: [] };

export function isPlugin(name: string): boolean {
	return Object.hasOwn(WORKS_AT, name);
}

/** AppError InvalidArgument, in upstream's words, for plugins that there are not, that have nothing to do at a point, or that are named twice. */
export function pluginsByPoint(sets: PluginSets): PluginsByPoint {
	const everywhere = merged(sets.multiPoint ?? NONE);
	return Object.fromEntries(POINTS.map((point) => [point, at(point, sets[point] ?? NONE, everywhere)])) as Record<
		Point,
		readonly WeightedRef[]
	>;
}

/** The defaults without those that are disabled; what is enabled takes the place of the default one of its name, or follows (upstream's mergePluginSet). */
function merged({ enabled, disabled }: PluginSet): readonly PluginRef[] {
	const kept = disabled.includes('*') ? [] : DEFAULTS.filter(({ name }) => !disabled.includes(name));
	const last = new Map(enabled.map((plugin) => [plugin.name, plugin]));
	const replaced = kept.flatMap(({ name }) => last.get(name) ?? []);
	return [...kept.map((plugin) => last.get(plugin.name) ?? plugin), ...enabled.filter((plugin) => !replaced.includes(plugin))];
}

/** First those of the point that stand for one of everywhere, then those of everywhere, then the point's others (upstream's expandMultiPointPlugins). */
function at(point: Point, { enabled, disabled }: PluginSet, everywhere: readonly PluginRef[]): readonly WeightedRef[] {
	const type = `${point[0]?.toUpperCase()}${point.slice(1)}Plugin`;
	const own = named(enabled, type);
	for (const { name } of own) if (!works(name, point)) throw wrong(`plugin ${JSON.stringify(name)} does not extend ${type} plugin`);
	const names = new Set(own.map(({ name }) => name));
	const fromEverywhere = disabled.includes('*')
		? []
		: named(
				everywhere.filter(({ name }) => (!isPlugin(name) || works(name, point)) && !disabled.includes(name)),
				type,
				names,
			);
	const overridden = new Set(fromEverywhere.map(({ name }) => name).filter((name) => names.has(name)));
	return [
		...own.filter(({ name }) => overridden.has(name)),
		...fromEverywhere.filter(({ name }) => !names.has(name)),
		...own.filter(({ name }) => !overridden.has(name)),
	].map(({ name, weight = 0 }) => ({ name, weight: weight === 0 ? 1 : weight }));
}

/** None that there is not, none twice (but those in `mayRepeat`). */
function named(plugins: readonly PluginRef[], type: string, mayRepeat: ReadonlySet<string> = new Set()): readonly PluginRef[] {
	const seen = new Set<string>();
	for (const { name } of plugins) {
		if (!isPlugin(name)) throw wrong(`${type} ${JSON.stringify(name)} does not exist`);
		if (seen.has(name) && !mayRepeat.has(name)) throw wrong(`plugin ${JSON.stringify(name)} already registered as ${JSON.stringify(type)}`);
		seen.add(name);
	}
	return plugins;
}

function works(name: string, point: Point): boolean {
	return WORKS_AT[name]?.includes(point) ?? false;
}

/**
 * What cannot be had here: a plugin prepares its filters and scores in one piece with them, and holds what it found until the pod is bound.
 * Where upstream would start and then fail every pod, this says so at once.
 */
export function divided(plugins: PluginsByPoint): readonly string[] {
	const has = (point: Point, name: string): boolean => plugins[point].some((plugin) => plugin.name === name);
	return Object.keys(WORKS_AT).flatMap((name) =>
		[
			['filter', 'preFilter'] as const,
			['score', 'preScore'] as const,
			['preFilter', 'reserve'] as const,
			['reserve', 'preBind'] as const,
			['preBind', 'preFilter'] as const,
		]
			.filter(([one, other]) => works(name, one) && works(name, other) && has(one, name) && !has(other, name))
			.map(([one, other]) => `plugin ${JSON.stringify(name)} is enabled for ${one} and not for ${other}, without which it cannot work`),
	);
}

function wrong(message: string): AppError {
	return new AppError('InvalidArgument', message);
}

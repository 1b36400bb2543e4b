/** What a kubelet's /metrics/resource says of its node and of the containers there. Pure. */

/** One figure of something that runs, at one moment. */
export interface Point {
	/** ms since the epoch. */
	readonly at: number;
	/** Seconds of a core used since it started. */
	readonly cpuSeconds: number;
	/** Working set. */
	readonly memoryBytes: number;
	/** ms since the epoch; undefined of a node. */
	readonly startedAt: number | undefined;
}

export interface Points {
	/** When the kubelet was asked, ms since the epoch. */
	readonly at: number;
	readonly node: Point | undefined;
	/** By containerKey. */
	readonly containers: ReadonlyMap<string, Point>;
}

export function containerKey(namespace: string, pod: string, container: string): string {
	return `${namespace}/${pod}/${container}`;
}

type Figure = 'cpuSeconds' | 'memoryBytes' | 'startedAt';

const FIGURES: Readonly<Record<string, readonly [whose: 'node' | 'container', figure: Figure]>> = {
	node_cpu_usage_seconds_total: ['node', 'cpuSeconds'],
	node_memory_working_set_bytes: ['node', 'memoryBytes'],
	container_cpu_usage_seconds_total: ['container', 'cpuSeconds'],
	container_memory_working_set_bytes: ['container', 'memoryBytes'],
	container_start_time_seconds: ['container', 'startedAt'],
};
/** Years have four digits. */
const END_OF_TIME = Date.UTC(10_000, 0);
const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)(?: (\d+))?$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/**
 * @param text in the Prometheus text form
 * @param at of figures that say no time of their own
 */
export function pointsIn(text: string, at: number): Points {
	const node: Partial<Record<Figure | 'at', number>> = {};
	const containers = new Map<string, Partial<Record<Figure | 'at', number>>>();
	for (const line of text.split('\n')) {
		const [, name = '', labels = '', value = '', time] = SAMPLE.exec(line) ?? [];
		const [whose, figure] = FIGURES[name] ?? [];
		if (whose === undefined || figure === undefined) continue;
		const of = whose === 'node' ? node : ofContainer(containers, labels);
		of[figure] = figure === 'startedAt' ? Number(value) * 1000 : Number(value);
		if (figure === 'cpuSeconds' && time !== undefined) of.at = Number(time);
	}
	return {
		at,
		node: complete(node, at),
		containers: new Map(
			[...containers].flatMap(([key, found]) => {
				const point = complete(found, at);
				return point === undefined ? [] : [[key, point] as const];
			}),
		),
	};
}

function ofContainer(
	containers: Map<string, Partial<Record<Figure | 'at', number>>>,
	text: string,
): Partial<Record<Figure | 'at', number>> {
	const labels = Object.fromEntries([...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value]));
	const key = containerKey(labels['namespace'] ?? '', labels['pod'] ?? '', labels['container'] ?? '');
	let of = containers.get(key);
	if (of === undefined) containers.set(key, (of = {}));
	return of;
}

/** Undefined unless both figures are known, and are some that an answer can show; what uses no memory has ended. */
function complete(found: Partial<Record<Figure | 'at', number>>, askedAt: number): Point | undefined {
	const { cpuSeconds = NaN, memoryBytes = 0, startedAt, at = askedAt } = found;
	const sane = cpuSeconds >= 0 && cpuSeconds <= Number.MAX_SAFE_INTEGER && Number.isSafeInteger(memoryBytes) && at < END_OF_TIME;
	return sane && memoryBytes > 0 ? { at, cpuSeconds, memoryBytes, startedAt } : undefined;
}

/** NodeMetrics and PodMetrics of metrics.k8s.io/v1beta1, from what is used; and how kubectl shows them. Pure. */
import type { Node, ObjectMeta, Pod, Table } from '../../api/gen/types.ts';
import { addQuantities, formatQuantity } from '../../api/quantity.ts';
import { formatDuration, timeOf } from '../../api/time.ts';
import { containerUsage, nodeUsage, type Looks, type Usage } from './usage.ts';

export const GROUP_VERSION = 'metrics.k8s.io/v1beta1';

type Amounts = Readonly<Record<'cpu' | 'memory', string>>;

interface Measured {
	readonly apiVersion: typeof GROUP_VERSION;
	readonly metadata: ObjectMeta;
	/** The window's end. */
	readonly timestamp: string;
	/** "15.2s" */
	readonly window: string;
}
export interface NodeMetrics extends Measured {
	readonly kind: 'NodeMetrics';
	readonly usage: Amounts;
}
export interface PodMetrics extends Measured {
	readonly kind: 'PodMetrics';
	readonly containers: readonly { readonly name: string; readonly usage: Amounts }[];
}

/** Undefined where too little is known. */
export function nodeMetrics({ metadata }: Node, looks: Looks, now: number): NodeMetrics | undefined {
	const usage = nodeUsage(looks);
	if (usage === undefined) return undefined;
	return { kind: 'NodeMetrics', ...measured(metadata, usage, now), usage: amountsOf(usage) };
}

/** Undefined unless all of its containers that run are known. */
export function podMetrics({ metadata, status }: Pod, looks: Looks, now: number): PodMetrics | undefined {
	const { namespace = '', name = '' } = metadata;
	const running = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].filter(
		({ state }) => state?.running !== undefined,
	);
	const known = running.flatMap((container) => {
		const usage = containerUsage(looks, namespace, name, container.name);
		return usage === undefined ? [] : [{ name: container.name, usage }];
	});
	const [first] = known.toSorted((a, b) => a.usage.at - b.usage.at);
	if (first === undefined || known.length < running.length) return undefined;
	const containers = known.map((container) => ({ name: container.name, usage: amountsOf(container.usage) }));
	return { kind: 'PodMetrics', ...measured(metadata, first.usage, now), containers };
}

function measured({ namespace, name, labels }: ObjectMeta, { at, windowMs }: Usage, now: number): Measured {
	return {
		apiVersion: GROUP_VERSION,
		metadata: {
			...(name === undefined ? {} : { name }),
			...(namespace === undefined ? {} : { namespace }),
			creationTimestamp: timeOf(now),
			...(labels === undefined ? {} : { labels }),
		},
		timestamp: timeOf(at),
		window: formatDuration(BigInt(windowMs) * 1_000_000n),
	};
}

function amountsOf({ cpuNanos, memoryBytes }: Usage): Amounts {
	return {
		cpu: formatQuantity({ nano: BigInt(cpuNanos), format: 'DecimalSI' }),
		memory: formatQuantity({ nano: BigInt(memoryBytes) * 1_000_000_000n, format: 'BinarySI' }),
	};
}

export function tableOf(objects: readonly (NodeMetrics | PodMetrics)[]): Table {
	const column = (name: string, format: string): Table['columnDefinitions'][number] => ({
		...{ name, type: 'string', format, priority: 0 },
		description: name === 'Name' ? NAME_DESCRIPTION : '',
	});
	return {
		kind: 'Table',
		apiVersion: 'meta.k8s.io/v1',
		metadata: {},
		columnDefinitions: [column('Name', 'name'), column('cpu', 'quantity'), column('memory', 'quantity'), column('Window', 'duration')],
		rows: objects.map((object) => {
			const { cpu, memory } = object.kind === 'NodeMetrics' ? object.usage : sumOf(object.containers.map(({ usage }) => usage));
			return { cells: [object.metadata.name ?? '', cpu, memory, object.window], object };
		}),
	};
}

const NAME_DESCRIPTION = 'Name must be unique within a namespace.';

function sumOf(all: readonly Amounts[]): Amounts {
	const sum = (name: 'cpu' | 'memory'): string => all.map((usage) => usage[name]).reduce((a, b) => addQuantities(a, b), '0');
	return { cpu: sum('cpu'), memory: sum('memory') };
}

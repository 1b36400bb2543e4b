/** Nodes, namespaces, events, configuration and quotas in tables. Pure. */
import type {
	ComponentStatus,
	ConfigMap,
	Event,
	EventsEvent,
	Lease,
	Namespace,
	Node,
	ResourceQuota,
	Secret,
} from '../../../api/gen/types.ts';
import { age, columns, orNone, since, type Cell, type Printer } from './column.ts';

const ROLE = 'node-role.kubernetes.io/';

export const nodePrinter: Printer = {
	columns: columns(
		'Name',
		'Status',
		'Roles',
		'Age',
		'Version',
		'Internal-IP*',
		'External-IP*',
		'OS-Image*',
		'Kernel-Version*',
		'Container-Runtime*',
	),
	cells(node: Node, now): readonly Cell[] {
		const ready = node.status?.conditions?.findLast((c) => c.type === 'Ready');
		const status = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'];
		if (node.spec?.unschedulable === true) status.push('SchedulingDisabled');
		const labels = Object.entries(node.metadata.labels ?? {});
		const roles = new Set(
			labels.flatMap(([k, v]) =>
				k.startsWith(ROLE) && k !== ROLE ? [k.slice(ROLE.length)] : k === 'kubernetes.io/role' && v !== '' ? [v] : [],
			),
		);
		const address = (type: string): string => orNone(node.status?.addresses?.find((a) => a.type === type)?.address);
		const info = node.status?.nodeInfo;
		const known = (text: string | undefined): string => (text === undefined || text === '' ? '<unknown>' : text);
		return [
			node.metadata.name ?? '',
			status.join(','),
			orNone([...roles].toSorted().join(',')),
			age(node, now),
			info?.kubeletVersion ?? '',
			address('InternalIP'),
			address('ExternalIP'),
			known(info?.osImage),
			known(info?.kernelVersion) + ((info?.architecture ?? '') === '' ? '' : ` (${info?.architecture})`),
			known(info?.containerRuntimeVersion),
		];
	},
};

export const namespacePrinter: Printer = {
	columns: columns('Name', 'Status', 'Age'),
	cells: (n: Namespace, now): readonly Cell[] => [n.metadata.name ?? '', n.status?.phase ?? '', age(n, now)],
};

export const configMapPrinter: Printer = {
	columns: columns('Name', 'Data', 'Age'),
	cells: (c: ConfigMap, now): readonly Cell[] => [
		c.metadata.name ?? '',
		Object.keys(c.data ?? {}).length + Object.keys(c.binaryData ?? {}).length,
		age(c, now),
	],
};

export const secretPrinter: Printer = {
	columns: columns('Name', 'Type', 'Data', 'Age'),
	cells: (s: Secret, now): readonly Cell[] => [s.metadata.name ?? '', s.type ?? '', Object.keys(s.data ?? {}).length, age(s, now)],
};

export const leasePrinter: Printer = {
	columns: columns('Name', 'Holder', 'Age'),
	cells: (l: Lease, now): readonly Cell[] => [l.metadata.name ?? '', l.spec?.holderIdentity ?? '', age(l, now)],
};

export const componentStatusPrinter: Printer = {
	columns: columns('Name', 'Status', 'Message', 'Error'),
	cells(c: ComponentStatus): readonly Cell[] {
		const healthy = c.conditions?.find((x) => x.type === 'Healthy');
		return [
			c.metadata.name ?? '',
			healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy',
			healthy?.message ?? '',
			healthy?.error ?? '',
		];
	},
};

export const resourceQuotaPrinter: Printer = {
	columns: columns('Name', 'Request', 'Limit', 'Age'),
	cells(q: ResourceQuota, now): readonly Cell[] {
		const used = (name: string): string => `${name}: ${q.status?.used?.[name] ?? '0'}/${q.status?.hard?.[name] ?? '0'}`;
		const all = Object.keys(q.status?.hard ?? {}).toSorted();
		const limits = all.filter((name) => name.startsWith('limits.'));
		return [
			q.metadata.name ?? '',
			all
				.filter((name) => !name.startsWith('limits.'))
				.map(used)
				.join(', '),
			limits.map(used).join(', '),
			age(q, now),
		];
	},
};

type AnyEvent = Event | EventsEvent;
/** Fields of core and events.k8s.io events under their core names. */
interface EventView {
	readonly metadata: Event['metadata'];
	readonly type?: string;
	readonly reason?: string;
	readonly message?: string;
	readonly note?: string;
	readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly fieldPath?: string };
	readonly regarding?: { readonly kind?: string; readonly name?: string; readonly fieldPath?: string };
	readonly source?: { readonly component?: string; readonly host?: string };
	readonly deprecatedSource?: { readonly component?: string; readonly host?: string };
	readonly reportingComponent?: string;
	readonly reportingController?: string;
	readonly reportingInstance?: string;
	readonly firstTimestamp?: string | null;
	readonly lastTimestamp?: string | null;
	readonly deprecatedFirstTimestamp?: string | null;
	readonly deprecatedLastTimestamp?: string | null;
	readonly eventTime?: string | null;
	readonly count?: number;
	readonly deprecatedCount?: number;
	readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null };
}

export const eventPrinter: Printer = {
	columns: columns('Last Seen', 'Type', 'Reason', 'Object', 'Subobject*', 'Source*', 'Message', 'First Seen*', 'Count*', 'Name*'),
	cells(event: AnyEvent, now): readonly Cell[] {
		const e = event as unknown as EventView;
		const object = e.involvedObject ?? e.regarding ?? {};
		const first = e.firstTimestamp ?? e.deprecatedFirstTimestamp ?? e.eventTime;
		// A series says both, or that it does not know.
		const last = e.series === undefined ? (e.lastTimestamp ?? e.deprecatedLastTimestamp ?? first) : e.series.lastObservedTime;
		const { component, host } = e.source ?? e.deprecatedSource ?? {};
		const reporter = component !== undefined && component !== '' ? component : (e.reportingComponent ?? e.reportingController ?? '');
		const instance = host !== undefined && host !== '' ? host : (e.reportingInstance ?? '');
		const kind = (object.kind ?? '').toLowerCase();
		return [
			since(last, now),
			e.type ?? '',
			e.reason ?? '',
			object.name === undefined || object.name === '' ? kind : `${kind}/${object.name}`,
			object.fieldPath ?? '',
			instance === '' ? reporter : `${reporter}, ${instance}`,
			(e.message ?? e.note ?? '').trim(),
			since(first, now),
			e.series === undefined ? (e.count ?? e.deprecatedCount ?? 1) : (e.series.count ?? 0),
			e.metadata.name ?? '',
		];
	},
};

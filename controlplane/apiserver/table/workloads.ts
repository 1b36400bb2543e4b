/** Workloads in tables. Pure. */
import type {
	ControllerRevision,
	CronJob,
	DaemonSet,
	Deployment,
	HorizontalPodAutoscaler,
	Job,
	MetricSpec,
	MetricStatus,
	PodDisruptionBudget,
	PodTemplate,
	ReplicaSet,
	ReplicationController,
	Scale,
	StatefulSet,
} from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { controllerName } from './owner.ts';
import { age, columns, humanDuration, images, labelText, names, orNone, selectorText, since, type Cell, type Printer } from './column.ts';

type Template = { readonly spec?: { readonly containers?: Parameters<typeof names>[0] } | undefined } | undefined;
const containers = (template: Template): readonly [string, string] => [
	names(template?.spec?.containers),
	images(template?.spec?.containers),
];

export const deploymentPrinter: Printer = {
	columns: columns('Name', 'Ready', 'Up-to-date', 'Available', 'Age', 'Containers*', 'Images*', 'Selector*'),
	cells: (d: Deployment, now): readonly Cell[] => [
		d.metadata.name ?? '',
		`${d.status?.readyReplicas ?? 0}/${d.spec?.replicas ?? 0}`,
		d.status?.updatedReplicas ?? 0,
		d.status?.availableReplicas ?? 0,
		age(d, now),
		...containers(d.spec?.template),
		selectorText(d.spec?.selector),
	],
};

/** ReplicaSets and ReplicationControllers: alike but for the form of their selectors. */
function replicasPrinter<T extends ReplicaSet | ReplicationController>(selector: (object: T) => string): Printer {
	return {
		columns: columns('Name', 'Desired:integer', 'Current:integer', 'Ready:integer', 'Age', 'Containers*', 'Images*', 'Selector*'),
		cells: (r: T, now): readonly Cell[] => [
			r.metadata.name ?? '',
			r.spec?.replicas ?? 0,
			r.status?.replicas ?? 0,
			r.status?.readyReplicas ?? 0,
			age(r, now),
			...containers(r.spec?.template),
			selector(r),
		],
	};
}

export const replicaSetPrinter = replicasPrinter((r: ReplicaSet) => selectorText(r.spec?.selector));
export const replicationControllerPrinter = replicasPrinter((r: ReplicationController) => labelText(r.spec?.selector));

export const daemonSetPrinter: Printer = {
	columns: columns(
		'Name',
		'Desired:integer',
		'Current:integer',
		'Ready:integer',
		'Up-to-date:integer',
		'Available:integer',
		'Node Selector',
		'Age',
		'Containers*',
		'Images*',
		'Selector*',
	),
	cells: (d: DaemonSet, now): readonly Cell[] => [
		d.metadata.name ?? '',
		d.status?.desiredNumberScheduled ?? 0,
		d.status?.currentNumberScheduled ?? 0,
		d.status?.numberReady ?? 0,
		d.status?.updatedNumberScheduled ?? 0,
		d.status?.numberAvailable ?? 0,
		labelText(d.spec?.template?.spec?.nodeSelector),
		age(d, now),
		...containers(d.spec?.template),
		selectorText(d.spec?.selector),
	],
};

export const statefulSetPrinter: Printer = {
	columns: columns('Name', 'Ready', 'Age', 'Containers*', 'Images*'),
	cells: (s: StatefulSet, now): readonly Cell[] => [
		s.metadata.name ?? '',
		`${s.status?.readyReplicas ?? 0}/${s.spec?.replicas ?? 0}`,
		age(s, now),
		...containers(s.spec?.template),
	],
};

export const jobPrinter: Printer = {
	columns: columns('Name', 'Status', 'Completions', 'Duration', 'Age', 'Containers*', 'Images*', 'Selector*'),
	cells(job: Job, now): readonly Cell[] {
		const { spec, status, metadata } = job;
		const succeeded = status?.succeeded ?? 0;
		const parallelism = spec?.parallelism ?? 0;
		const completions =
			spec?.completions !== undefined
				? `${succeeded}/${spec.completions}`
				: parallelism > 1
					? `${succeeded}/1 of ${parallelism}`
					: `${succeeded}/1`;
		const has = (type: string): boolean => status?.conditions?.find((c) => c.type === type)?.status === 'True';
		const state = has('Complete')
			? 'Complete'
			: has('Failed')
				? 'Failed'
				: metadata.deletionTimestamp !== undefined
					? 'Terminating'
					: has('Suspended')
						? 'Suspended'
						: has('FailureTarget')
							? 'FailureTarget'
							: has('SuccessCriteriaMet')
								? 'SuccessCriteriaMet'
								: 'Running';
		const start = status?.startTime;
		const duration =
			start === undefined || start === null
				? ''
				: humanDuration((status?.completionTime === undefined ? now : Date.parse(status.completionTime)) - Date.parse(start));
		return [metadata.name ?? '', state, completions, duration, age(job, now), ...containers(spec?.template), selectorText(spec?.selector)];
	},
};

export const cronJobPrinter: Printer = {
	columns: columns(
		'Name',
		'Schedule',
		'Timezone',
		'Suspend:boolean',
		'Active:integer',
		'Last Schedule',
		'Age',
		'Containers*',
		'Images*',
		'Selector*',
	),
	cells: (c: CronJob, now): readonly Cell[] => [
		c.metadata.name ?? '',
		c.spec?.schedule ?? '',
		orNone(c.spec?.timeZone),
		c.spec?.suspend === true ? 'True' : 'False',
		c.status?.active?.length ?? 0,
		c.status?.lastScheduleTime === undefined ? '<none>' : since(c.status.lastScheduleTime, now),
		age(c, now),
		...containers(c.spec?.jobTemplate?.spec?.template),
		selectorText(c.spec?.jobTemplate?.spec?.selector),
	],
};

export const podTemplatePrinter: Printer = {
	columns: columns('Name', 'Containers', 'Images', 'Pod Labels'),
	cells: (t: PodTemplate): readonly Cell[] => [t.metadata.name ?? '', ...containers(t.template), labelText(t.template?.metadata?.labels)],
};

export const controllerRevisionPrinter: Printer = {
	columns: columns('Name', 'Controller', 'Revision', 'Age'),
	cells: (r: ControllerRevision, now): readonly Cell[] => [r.metadata.name ?? '', controllerName(r), r.revision ?? 0, age(r, now)],
};

export const podDisruptionBudgetPrinter: Printer = {
	columns: columns('Name', 'Min Available', 'Max Unavailable', 'Allowed Disruptions:integer', 'Age'),
	cells: (b: PodDisruptionBudget, now): readonly Cell[] => [
		b.metadata.name ?? '',
		String(b.spec?.minAvailable ?? 'N/A'),
		String(b.spec?.maxUnavailable ?? 'N/A'),
		b.status?.disruptionsAllowed ?? 0,
		age(b, now),
	],
};

export const scalePrinter: Printer = {
	columns: columns('Name', 'Desired:integer', 'Available:integer', 'Age').map((column) => ({ ...column, format: '' })),
	cells: (s: Scale & KubeObject, now): readonly Cell[] => [
		s.metadata.name ?? '',
		s.spec?.replicas ?? 0,
		s.status?.replicas ?? 0,
		age(s, now),
	],
};

/** Read by JSONPath upstream, which finds no replicas where there are none. */
export const customScalePrinter: Printer = {
	columns: columns('Name', 'Desired:integer', 'Available:integer', 'Age:date'),
	cells: (s: Scale & KubeObject, now): readonly Cell[] => [
		s.metadata.name ?? '',
		s.spec?.replicas ?? null,
		s.status?.replicas ?? null,
		age(s, now),
	],
};

export const horizontalPodAutoscalerPrinter: Printer = {
	columns: columns('Name', 'Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas', 'Age'),
	cells: (h: HorizontalPodAutoscaler, now): readonly Cell[] => [
		h.metadata.name ?? '',
		`${h.spec?.scaleTargetRef?.kind}/${h.spec?.scaleTargetRef?.name}`,
		metricsText(h),
		h.spec?.minReplicas === undefined ? '<unset>' : String(h.spec.minReplicas),
		h.spec?.maxReplicas ?? 0,
		h.status?.currentReplicas ?? 0,
		age(h, now),
	],
};

/** "cpu: 10%/80%" for each metric, the first two. */
function metricsText(h: HorizontalPodAutoscaler): string {
	const shown = (h.spec?.metrics ?? []).map((metric, i) => metricText(metric, h.status?.currentMetrics?.[i]));
	if (shown.length === 0) return '<none>';
	return shown.length > 2 ? `${shown.slice(0, 2).join(', ')} + ${shown.length - 2} more...` : shown.join(', ');
}

function metricText(metric: MetricSpec, now: MetricStatus | undefined): string {
	const known = (quantity: unknown): string => (quantity === undefined || quantity === null ? '<unknown>' : String(quantity as string));
	switch (metric.type) {
		case 'External':
		case 'Object': {
			const { target } = (metric.type === 'Object' ? metric.object : metric.external) ?? {};
			const current = (metric.type === 'Object' ? now?.object : now?.external)?.current;
			return target?.averageValue === undefined
				? `${known(current?.value)}/${target?.value ?? '0'}`
				: `${known(current?.averageValue)}/${target.averageValue} (avg)`;
		}
		case 'Pods':
			return `${known(now?.pods?.current?.averageValue)}/${metric.pods?.target?.averageValue ?? '0'}`;
		case 'Resource':
		case 'ContainerResource': {
			const { name = '', target } = (metric.type === 'Resource' ? metric.resource : metric.containerResource) ?? {};
			const current = (metric.type === 'Resource' ? now?.resource : now?.containerResource)?.current;
			if (target?.averageValue !== undefined) return `${name}: ${known(current?.averageValue)}/${target.averageValue}`;
			const used = current?.averageUtilization === undefined ? '<unknown>' : `${current.averageUtilization}%`;
			return `${name}: ${used}/${target?.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`}`;
		}
		default:
			return '<unknown type>';
	}
}

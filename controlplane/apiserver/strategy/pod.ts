/** Pods: they start Pending with their QoS class, and go gracefully once a node has them. Nodes: the one field they are selected by. */
import { defaultPodResources } from '../../../api/defaults/pod-resources.ts';
import type { Pod, PodStatus } from '../../../api/gen/types.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { qosClass } from '../../../api/pod/qos.ts';
import { completePod, positiveGrace } from './pod-fields.ts';
import { fieldsAt, type Draft, type Strategy } from './strategy.ts';

export const podStrategy: Strategy = {
	status: ['status'],
	generation: true,
	ownFieldLabels: true,
	answersDeleted: true,
	fields: {
		...fieldsAt(
			'spec.nodeName',
			'spec.restartPolicy',
			'spec.schedulerName',
			'spec.serviceAccountName',
			'status.phase',
			'status.podIP',
			'status.nominatedNodeName',
		),
		'spec.hostNetwork': (o) => String((o as Pod).spec?.hostNetwork ?? false),
		// A label that is known, but of a field that upstream's set has not.
		'status.podIPs': () => '',
	},
	fieldAliases: { 'spec.host': 'spec.nodeName' },
	prepareForCreate(object, now, { warn }) {
		completePod(object, warn);
		object['status'] = { phase: 'Pending', qosClass: qosClass(object as Pod) };
		const { spec } = object as Pod;
		if ((spec?.schedulingGates ?? []).length > 0)
			(object['status'] as Record<string, unknown>)['conditions'] = [
				{
					type: 'PodScheduled',
					status: 'False',
					lastTransitionTime: now,
					reason: 'SchedulingGated',
					message: 'Scheduling is blocked due to non-empty scheduling gates',
				},
			];
	},
	prepareForUpdate(object) {
		const { spec } = object as Pod;
		if (spec !== undefined) positiveGrace(spec);
	},
	prepareForStatusUpdate(object, old) {
		for (const field of ['ownerReferences', 'deletionTimestamp'] as const) {
			if (old.metadata[field] === undefined) delete object.metadata[field];
			else Object.assign(object.metadata, { [field]: old.metadata[field] });
		}
		const [{ status }, { status: before }] = [object as Pod, old as Pod];
		if (status === undefined) return;
		if ((status.qosClass ?? '') === '' && before?.qosClass !== undefined) status.qosClass = before.qosClass;
		keepObserved(status, before);
	},
	/** Admission may have given its containers more than they were sent with. */
	readBack(object) {
		defaultPodResources(object as Pod);
	},
	/** Upstream podStrategy.CheckGracefulDelete. */
	graceSeconds(object, asked) {
		const { spec } = object as Pod;
		const wanted = asked ?? spec?.terminationGracePeriodSeconds ?? 30;
		if ((spec?.nodeName ?? '') === '' || isTerminal(object as Pod)) return 0;
		return Math.max(wanted < 0 ? 1 : wanted, 0);
	},
};

/** The generation that was seen is not forgotten by who knows nothing of it; of conditions it is kept by their type, one after the other. */
function keepObserved(status: PodStatus, before: PodStatus | undefined): void {
	if ((status.observedGeneration ?? 0) === 0 && before?.observedGeneration !== undefined)
		status.observedGeneration = before.observedGeneration;
	const known = Map.groupBy(before?.conditions ?? [], ({ type }) => type);
	for (const condition of status.conditions ?? []) {
		const seen = known.get(condition.type)?.shift()?.observedGeneration;
		if ((condition.observedGeneration ?? 0) === 0 && seen !== undefined) condition.observedGeneration = seen;
	}
}

export const nodeFields = {
	'spec.unschedulable': (o: Draft): string => String((o['spec'] as { unschedulable?: boolean } | undefined)?.unschedulable ?? false),
};

/** Pods: they start Pending with their QoS class, and go gracefully once a node has them. Nodes: the one field they are selected by. */
import type { Pod } from '../../../api/gen/types.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { qosClass } from '../../../api/pod/qos.ts';
import { completePod, positiveGrace } from './pod-fields.ts';
import { fieldsAt, textAt, type Draft, type Strategy } from './strategy.ts';

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
		'status.podIPs': textAt('status.podIP'),
	},
	fieldAliases: { 'spec.host': 'spec.nodeName' },
	prepareForCreate(object, now) {
		completePod(object);
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
		if (old.metadata.ownerReferences === undefined) delete object.metadata.ownerReferences;
		else object.metadata.ownerReferences = old.metadata.ownerReferences;
		const status = object['status'] as Record<string, unknown> | undefined;
		if (status !== undefined && status['qosClass'] === undefined) {
			const kept = (old['status'] as Record<string, unknown> | undefined)?.['qosClass'];
			if (kept !== undefined) status['qosClass'] = kept;
		}
	},
	/** Upstream podStrategy.CheckGracefulDelete. */
	graceSeconds(object, asked) {
		const { spec } = object as Pod;
		const wanted = asked ?? spec?.terminationGracePeriodSeconds ?? 30;
		if ((spec?.nodeName ?? '') === '' || isTerminal(object as Pod)) return 0;
		return Math.max(wanted < 0 ? 1 : wanted, 0);
	},
};

export const nodeFields = {
	'spec.unschedulable': (o: Draft): string => String((o['spec'] as { unschedulable?: boolean } | undefined)?.unschedulable ?? false),
};

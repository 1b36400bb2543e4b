/** Jobs and CronJobs: a Job gets the selector and labels that tie its pods to it. */
import type { Job } from '../../../api/gen/types.ts';
import type { Strategy } from './strategy.ts';

const LABELS = 'batch.kubernetes.io/';

const job: Strategy = {
	status: ['status'],
	generation: true,
	orphansByDefault: true,
	fields: { 'status.successful': (o) => String((o as Job).status?.succeeded ?? 0) },
	ownFieldLabels: true,
	prepareForCreate(object) {
		const { spec, metadata } = object as Job;
		if (spec === undefined || spec.manualSelector === true) return;
		const uid = metadata.uid ?? '';
		const template = (spec.template ??= {} as NonNullable<typeof spec.template>);
		const meta = (template.metadata ??= {});
		meta.labels = {
			...meta.labels,
			'controller-uid': uid,
			'job-name': metadata.name ?? '',
			[`${LABELS}controller-uid`]: uid,
			[`${LABELS}job-name`]: metadata.name ?? '',
		};
		if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...meta.labels };
		spec.selector ??= { matchLabels: { [`${LABELS}controller-uid`]: uid } };
	},
};

const cronJob: Strategy = { status: ['status'], generation: true };

export const cronJobAndJob = { job, cronJob };

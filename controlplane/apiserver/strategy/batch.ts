/** Jobs and CronJobs: a Job gets the selector and labels that tie its pods to it. */
import type { Job } from '../../../api/gen/types.ts';
import type { Strategy } from './strategy.ts';

const LABELS = 'batch.kubernetes.io/';

const job: Strategy = {
	status: ['status'],
	generation: true,
	orphansByDefault: true,
	fields: { 'status.successful': (o) => String((o as Job).status?.succeeded ?? 0) },
	ownFieldLabels: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
	prepareForCreate(object) {
		const { spec, metadata } = object as Job;
		if (spec === undefined || spec.manualSelector === true) return;
		const uid = metadata.uid ?? '';
		const template = (spec.template ??= {} as NonNullable<typeof spec.template>);
		const meta = (template.metadata ??= {});
		// Labels that defaulting took from the template are the template's own: they get the new ones, too.
		const isShared = meta.labels !== undefined && metadata.labels === meta.labels;
		// What the user has set already stays, for validation to refuse where it says another thing.
		meta.labels = {
			[`${LABELS}controller-uid`]: uid,
			[`${LABELS}job-name`]: metadata.name ?? '',
			'controller-uid': uid,
			'job-name': metadata.name ?? '',
			...meta.labels,
		};
		if (isShared) metadata.labels = { ...meta.labels };
		const { selector = {} } = spec;
		spec.selector = { ...selector, matchLabels: { [`${LABELS}controller-uid`]: uid, ...selector.matchLabels } };
	},
	/** A job without labels is read with its template's. */
	readBack(object) {
		const { spec, metadata } = object as Job;
		const labels = spec?.template?.metadata?.labels ?? {};
		if (Object.keys(metadata.labels ?? {}).length === 0 && Object.keys(labels).length > 0) metadata.labels = { ...labels };
	},
};

const cronJob: Strategy = { status: ['status'], generation: true };

export const cronJobAndJob = { job, cronJob };

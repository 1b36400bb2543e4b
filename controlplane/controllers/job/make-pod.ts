/** A Job's pod: the template, tracked by a finalizer, with its completion index where there is one. Pure. */
import type { Container, Job, Pod } from '../../../api/gen/types.ts';
import { JOBS } from '../../../api/resources.ts';
import { podFromTemplate } from '../pod-template.ts';
import { FAILURES_ANNOTATION, IGNORED_ANNOTATION, type IndexFailures } from './index-failures.ts';
import { INDEX_ANNOTATION, INDEX_LABEL, TRACKING_FINALIZER } from './pods.ts';

const ENV_NAME = 'JOB_COMPLETION_INDEX';
/** What the API server adds its random letters to without cutting it (upstream's MaxGeneratedNameLength). */
const MAX_PREFIX = 58;
const ENV_SOURCE = { fieldRef: { fieldPath: `metadata.labels['${INDEX_LABEL}']` } };

/** @param failures of the index, where each has a limit of its own */
export function makePod(job: Job, index: number | undefined, failures?: IndexFailures): Pod {
	const pod = podFromTemplate(job.spec?.template, JOBS, job);
	const metadata = { ...pod.metadata, finalizers: [...(pod.metadata.finalizers ?? []), TRACKING_FINALIZER] };
	const spec = { containers: [], ...pod.spec };
	if (index === undefined) return { ...pod, metadata, spec };
	const text = String(index);
	const name = job.metadata.name ?? '';
	return {
		...pod,
		metadata: {
			...metadata,
			generateName: `${name.slice(0, MAX_PREFIX - 2 - text.length)}-${text}-`,
			annotations: { ...metadata.annotations, [INDEX_ANNOTATION]: text, ...failureCounts(failures) },
			labels: { ...metadata.labels, [INDEX_LABEL]: text },
		},
		spec: {
			...spec,
			hostname: `${name}-${text}`,
			containers: spec.containers.map(withIndex),
			...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withIndex) }),
		},
	};
}

function failureCounts(failures: IndexFailures | undefined): Record<string, string> {
	if (failures === undefined) return {};
	const { counted, ignored } = failures;
	return { [FAILURES_ANNOTATION]: String(counted), ...(ignored > 0 ? { [IGNORED_ANNOTATION]: String(ignored) } : {}) };
}

function withIndex(container: Container): Container {
	if ((container.env ?? []).some((e) => e.name === ENV_NAME)) return container;
	return { ...container, env: [...(container.env ?? []), { name: ENV_NAME, valueFrom: ENV_SOURCE }] };
}

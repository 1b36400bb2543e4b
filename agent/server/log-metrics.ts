/** kubelet_container_log_filesystem_used_bytes: what the logs of each container that runs take on disk. */
import { join } from 'node:path';
import type { Pod } from '../../api/gen/types.ts';
import { diskUsage } from '../../host/disk-usage.ts';
import type { AgentContext } from '../context.ts';
import { podLogFolder } from '../pod/folders.ts';
import type { Family } from './exposition.ts';

export async function logMetrics(bound: readonly Pod[], { options }: AgentContext): Promise<Family> {
	const running = bound.flatMap((pod) => {
		const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
		const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
		return all.flatMap((c) => (c.state?.running === undefined ? [] : [{ pod, container: c.name }]));
	});
	const samples = await Promise.all(
		running.map(async ({ pod, container }) => {
			const { uid = '', namespace = '', name = '' } = pod.metadata;
			const { bytes } = await diskUsage(join(podLogFolder(options.podLogsDir, pod), container));
			return { labels: { uid, namespace, pod: name, container }, value: bytes };
		}),
	);
	return {
		name: 'kubelet_container_log_filesystem_used_bytes',
		type: 'gauge',
		help: "[ALPHA] Bytes used by the container's logs on the filesystem.",
		samples,
	};
}

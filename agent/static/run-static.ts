/** Follows the sources of static pods that the node's configuration names, and keeps their mirrors. */
import type { Pod } from '../../api/gen/types.ts';
import type { Change } from '../../client/cache.ts';
import { linked } from '../../base/abort.ts';
import { settingsIn } from '../config/settings.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { followFiles } from './file-source.ts';
import type { Mirrors } from './mirrors.ts';
import { isMirror, ofApi } from './static-pod.ts';
import { StaticPods, type StaticWorkers } from './static-pods.ts';
import { followUrl } from './url-source.ts';

export interface StaticParts {
	readonly pods: StaticPods;
	readonly mirrors: Mirrors;
	/** A change of the API: mirrors are no pods to be run. */
	changed(change: Change<Pod>): void;
	run(signal: AbortSignal): Promise<void>;
}

const API_MS = 1000;

/** @param complete called once every source has been read */
export function staticParts(context: AgentContext, mirrors: Mirrors, workers: StaticWorkers, complete: () => void): StaticParts {
	const { clock, log, options, figures } = context;
	const { nodeName } = options;
	const { staticPodPath: path, staticPodUrl: url, staticPodUrlHeader: headers, fileCheckMs, httpCheckMs } = settingsIn(options);
	const sources = [...(path === undefined ? [] : ['file']), ...(url === undefined ? [] : ['http'])];
	const pods = new StaticPods({
		...{ workers, mirrors, log, sources, complete },
		restarted: () => figures.restartedPods.inc({ static: 'true' }),
		invalid: (pod, why) => podEvent(context, pod, 'Warning', 'FailedValidation', why),
	});
	const found = (source: string) => (all: readonly Pod[]) => pods.found(source, all);
	const shared = { nodeName, clock, log };
	return {
		pods,
		mirrors,
		changed({ before, after }) {
			for (const [to, concerns] of [
				[workers, (pod: Pod) => !isMirror(pod)],
				[mirrors, isMirror],
			] as const) {
				const was = before !== undefined && concerns(before) ? { before: ofApi(before) } : {};
				const is = after !== undefined && concerns(after) ? { after: ofApi(after) } : {};
				if ('before' in was || 'after' in is) to.changed({ ...was, ...is });
			}
		},
		async run(signal) {
			const keeping = mirrors.run(signal);
			keeping.catch(() => {}); // awaited below
			// What the API has of pods that run already saves their readiness and times; an API that is away is not waited for.
			using wait = linked(signal);
			await Promise.race([mirrors.known, clock.sleep(API_MS, wait.signal)]).catch(() => {});
			wait.abort();
			await Promise.all([
				keeping,
				path === undefined ? undefined : followFiles({ ...shared, path, periodMs: fileCheckMs, found: found('file') }, signal),
				url === undefined ? undefined : followUrl({ ...shared, url, headers, periodMs: httpCheckMs, found: found('http') }, signal),
			]);
		},
	};
}

/** What each component of Kubernetes tells of itself: its process, its version, the features it knows. */
import { featureMetrics } from '../api/feature-metrics.ts';
import type { Clock } from '../base/clock.ts';
import type { Registry } from '../base/metrics.ts';
import { buildMetrics, processMetrics } from '../base/process-metrics.ts';

/** Parts of one process share its registry: what one of them has told is not told again. @param version "v1.36.2" */
export function componentMetrics(registry: Registry, version: string, clock: Clock): void {
	processMetrics(registry, clock);
	featureMetrics(registry);
	const [, major = '', minor = ''] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
	const platform = `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`;
	const made = { gitVersion: version, gitTreeState: 'clean', compiler: 'node', goVersion: `node ${process.version}` };
	buildMetrics(registry, { ...made, major, minor, platform });
}

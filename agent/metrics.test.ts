/** What the agent's own metrics decide themselves. */
import test from 'ava';
import { Registry } from '../base/metrics.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { componentMetrics } from './component-metrics.ts';
import { AgentMetrics } from './metrics.ts';

test('how long the first pod with a network took is told, and that of no other', async (t) => {
	const figures = new AgentMetrics('n');
	const first = async (): Promise<string | undefined> =>
		/^kubelet_first_network_pod_start_sli_duration_seconds (.*)$/m.exec(await figures.registry.metrics())?.[1];
	figures.startedIn(2, false);
	t.is(await first(), '0');
	figures.startedIn(3, true);
	figures.startedIn(9, true);
	t.is(await first(), '3');
	t.regex(await figures.registry.metrics(), /^kubelet_pod_start_sli_duration_seconds_count 3$/m);
});

test('that a runtime will lose support is told by the version, of one that will', async (t) => {
	const figures = new AgentMetrics('n');
	t.notRegex(await figures.registry.metrics(), /cri_losing_support/);
	figures.losesSupport('1.37.0');
	t.regex(await figures.registry.metrics(), /^kubelet_cri_losing_support\{version="1.37.0"\} 1$/m);
});

test('a process tells of itself once, whatever parts it has', async (t) => {
	const registry = new Registry();
	componentMetrics(registry, 'v1.36.2', new VirtualClock());
	componentMetrics(registry, 'v1.0.0', new VirtualClock());
	for (const text of [await registry.metrics(), await registry.metrics()]) {
		t.regex(text, /^kubernetes_feature_enabled\{name="EventedPLEG",stage="ALPHA"\} 0$/m);
		t.regex(text, /^kubernetes_build_info\{.*git_version="v1.36.2".*major="1",minor="36".*\} 1$/m);
		t.regex(text, /^process_resident_memory_bytes [1-9]\d+$/m);
		t.is(text.match(/^kubernetes_build_info/gm)?.length, 1);
	}
});

/** What the agent's own metrics decide themselves. */
import test from 'ava';
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

import test from 'ava';
import { Counter, createMetrics, Gauge } from '../../../base/metrics.ts';
import { exposition, registeredMetrics } from './exposition.ts';
import { leveledHelp } from './stability.ts';

for (const [name, help, want] of [
	['apiserver_request_total', 'Requests.', '[STABLE] Requests.'],
	['workqueue_depth', 'Depth.', '[BETA] Depth.'],
	['apiserver_request_sli_duration_seconds', 'Seconds.', '[ALPHA] Seconds.'],
	['apiserver_storage_objects', 'Objects.', '[STABLE] (Deprecated since 1.34.0) Objects.'],
	['apiserver_flowcontrol_demand_seats', 'Seats.', 'EXPERIMENTAL: [ALPHA] Seats.'],
	['rest_client_requests_total', '[ALPHA] Requests.', '[ALPHA] Requests.'],
	['process_open_fds', 'Files.', 'Files.'],
	['nodejs_eventloop_lag_seconds', 'Lag.', 'Lag.'],
] as const)
	test(`leveledHelp(): ${name}`, (t) => t.is(leveledHelp(name, help), want));

test('exposition(): by name, each with its level, and nothing of what has no series', async (t) => {
	const registry = createMetrics();
	const registers = [registry];
	new Counter({ name: 'b_total', help: 'B.', registers });
	new Counter({ name: 'c_total', help: 'C.', labelNames: ['x'], registers });
	new Gauge({ name: 'apiserver_longrunning_requests', help: 'A "\\".', labelNames: ['x'], registers }).set({ x: 'y' }, 1);
	t.is(
		await exposition(registry),
		`# HELP apiserver_longrunning_requests [STABLE] A "\\\\".
# TYPE apiserver_longrunning_requests gauge
apiserver_longrunning_requests{x="y"} 1
# HELP b_total [ALPHA] B.
# TYPE b_total counter
b_total 0
`,
	);
});

test('registeredMetrics(): counts by level, each time anew', async (t) => {
	const registry = createMetrics();
	const registers = [registry];
	registeredMetrics(registry);
	new Counter({ name: 'apiserver_storage_objects', help: 'O.', registers });
	new Counter({ name: 'process_open_fds', help: 'F.', registers });
	await exposition(registry);
	const told = await exposition(registry);
	t.deepEqual([...told.matchAll(/^registered_metrics_total(.*)$/gm)].map(([, line]) => line).toSorted(), [
		'{stability_level="BETA",deprecated_version=""} 1',
		'{stability_level="STABLE",deprecated_version="1.34.0"} 1',
	]);
});

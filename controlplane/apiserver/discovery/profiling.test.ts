import test from 'ava';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { ApiRequest, Handler } from '../contracts.ts';
import { profilingRoutes } from './profiling.ts';

const routes = profilingRoutes(new VirtualClock());

for (const [method, route, path, status, want] of [
	['GET', '/debug/pprof', '/debug/pprof', 302, '<a href="/debug/pprof/">Found</a>.\n\n'],
	['HEAD', '/debug/pprof', '/debug/pprof', 302, ''],
	['GET', '/debug/pprof/', '/debug/pprof/', 200, '/debug/pprof/profile?seconds=30\n/debug/pprof/heap?seconds=30\n'],
	['GET', '/debug/pprof/', '/debug/pprof/goroutine', 404, 'Unknown profile\n'],
] as const)
	test(`${method} ${path}: ${status}`, async (t) => {
		const answer = await (routes.get(route) as Handler)({ method, path } as ApiRequest);
		t.like(answer, { type: 'bytes', status });
		t.is(answer.type === 'bytes' ? Buffer.from(answer.body).toString() : '', want);
	});

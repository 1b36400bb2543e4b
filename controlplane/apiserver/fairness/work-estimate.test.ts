/** How much work a request is, by what it lists and who watches. */
import test from 'ava';
import { requestInfo, type ResourceInfo } from '../request/request-info.ts';
import { WatchCounts } from './watch-counts.ts';
import { workOf } from './work-estimate.ts';

const resource = (method: string, path: string, query = ''): ResourceInfo =>
	requestInfo(method, path, new URLSearchParams(query)) as ResourceInfo;

for (const [name, method, path, query, objects, watchers, maxSeats, want] of [
	['a get', 'GET', '/api/v1/namespaces/n/pods/p', '', 1000, 0, 10, [1, 0, 0]],
	['a short list', 'GET', '/api/v1/pods', '', 10, 0, 10, [1, 0, 0]],
	['a long list', 'GET', '/api/v1/pods', '', 500, 0, 10, [5, 0, 0]],
	['a list within the level', 'GET', '/api/v1/pods', '', 5000, 0, 8, [8, 0, 0]],
	['a page of it', 'GET', '/api/v1/pods', 'limit=100', 5000, 0, 10, [1, 0, 0]],
	['a list that will be refused', 'GET', '/api/v1/pods', 'limit=x', 10, 0, 10, [10, 0, 0]],
	['a huge list is streamed', 'GET', '/api/v1/pods', '', 100_000, 0, 0, [10, 0, 0]],
	['the rest of a list', 'GET', '/api/v1/pods', 'continue=x', 100_000, 0, 0, [100, 0, 0]],
	['a page of the rest', 'GET', '/api/v1/pods', 'continue=x&limit=500', 5000, 0, 10, [5, 0, 0]],
	['a page of the rest that is selected', 'GET', '/api/v1/pods', 'continue=x&limit=100&labelSelector=a', 1601, 0, 10, [8, 0, 0]],
	['a list of one revision', 'GET', '/api/v1/pods', 'resourceVersion=5&resourceVersionMatch=Exact', 2000, 0, 0, [20, 0, 0]],
	['a page of one revision', 'GET', '/api/v1/pods', 'resourceVersion=5&limit=1900', 2000, 0, 0, [19, 0, 0]],
	['a list that is not older', 'GET', '/api/v1/pods', 'resourceVersion=5&resourceVersionMatch=NotOlderThan', 2000, 0, 0, [10, 0, 0]],
	['a page that may be old', 'GET', '/api/v1/pods', 'resourceVersion=0&limit=1900&labelSelector=a', 2000, 0, 0, [10, 0, 0]],
	['a watch from now', 'GET', '/api/v1/pods', 'watch=1&resourceVersion=5', 5000, 0, 10, [1, 0, 0]],
	['a watch that lists first', 'GET', '/api/v1/pods', 'watch=1', 5000, 0, 10, [10, 0, 0]],
	['a list of one by its name', 'GET', '/api/v1/pods', 'fieldSelector=metadata.name%3Dp', 5000, 0, 10, [1, 0, 0]],
	['a watch of one by its name', 'GET', '/api/v1/pods', 'watch=1&fieldSelector=metadata.name%3Dp', 5000, 0, 10, [1, 0, 0]],
	['a list of all but one', 'GET', '/api/v1/pods', 'fieldSelector=metadata.name!%3Dp', 5000, 0, 10, [10, 0, 0]],
	['a write that few watch', 'PUT', '/api/v1/namespaces/n/pods/p', '', 0, 9, 10, [1, 0, 0]],
	['a write that many watch', 'PUT', '/api/v1/namespaces/n/pods/p', '', 0, 45, 10, [1, 5, 5]],
	['more than there are seats: for longer', 'PUT', '/api/v1/namespaces/n/pods/p', '', 0, 200, 10, [1, 10, 10]],
	['a token', 'POST', '/api/v1/namespaces/n/serviceaccounts/s/token', '', 0, 200, 10, [1, 0, 0]],
] as const)
	test(`workOf(): ${name}`, (t) => {
		const asked = resource(method, path, query);
		const work = workOf(
			asked,
			new URLSearchParams(query),
			() => ({ objects, averageBytes: 1000 }),
			() => watchers,
			maxSeats,
		);
		t.deepEqual([work.initialSeats, work.finalSeats, work.finalMs], [...want]);
	});

test('watchers of all, of the namespace and of the object count; those of other nodes do not', (t) => {
	const counts = new WatchCounts();
	const watch = (path: string, query: string) => counts.add(resource('GET', path, `watch=1&${query}`), new URLSearchParams(query));
	const forget = [
		watch('/api/v1/pods', ''),
		watch('/api/v1/pods', 'fieldSelector=spec.nodeName%3Dn1'),
		watch('/api/v1/namespaces/a/pods', ''),
		watch('/api/v1/namespaces/b/pods', ''),
		watch('/api/v1/watch/namespaces/a/pods/p', ''),
		watch('/api/v1/namespaces/a/pods', 'fieldSelector=metadata.name%3Dp'),
		watch('/api/v1/namespaces/a/pods', 'fieldSelector=metadata.name%3Dq'),
	];
	t.is(counts.of(resource('PUT', '/api/v1/namespaces/a/pods/p')), 4);
	t.is(counts.of(resource('PUT', '/api/v1/namespaces/a/pods/x')), 2);
	t.is(counts.of(resource('POST', '/api/v1/namespaces/b/pods')), 2);
	for (const fn of [...forget, ...forget]) fn();
	t.is(counts.of(resource('PUT', '/api/v1/namespaces/a/pods/p')), 0);
});

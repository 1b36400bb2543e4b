/** /debug/api_priority_and_fairness: levels, queues and what waits in them, as comma-separated tables. */
import type { ApiResponse, Handler } from '../contracts.ts';
import type { Fairness } from './fairness.ts';

const PATH = '/debug/api_priority_and_fairness/';

export function fairnessDumps(fairness: Fairness): ReadonlyMap<string, Handler> {
	return new Map([
		[`${PATH}dump_priority_levels`, page(() => levelRows(fairness))],
		[`${PATH}dump_queues`, page(() => queueRows(fairness))],
	]);
}

function levelRows({ levels }: Fairness): readonly (readonly unknown[])[] {
	const head =
		'PriorityLevelName,ActiveQueues,IsIdle,IsQuiescing,WaitingRequests,ExecutingRequests,DispatchedRequests,RejectedRequests,TimedoutRequests,CancelledRequests';
	const rows = [...levels.all()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
	return [
		head.split(','),
		...rows.map(({ name, queues, isQuiescing, counts }) => {
			const active = queues.dump().filter((queue) => queue.waiting.length > 0 || queue.running > 0).length;
			const { dispatched, rejected, timedOut, cancelled } = counts;
			return [
				name,
				active,
				queues.isIdle,
				isQuiescing,
				queues.waiting.count,
				queues.running.count,
				dispatched,
				rejected,
				timedOut,
				cancelled,
			];
		}),
	];
}

function queueRows({ levels }: Fairness): readonly (readonly unknown[])[] {
	const head = 'PriorityLevelName,Index,PendingRequests,ExecutingRequests,SeatsInUse,NextDispatchR,TotalWorkSum';
	const seconds = (ms: number): string => `${(ms / 1000).toFixed(8)}ss`;
	return [
		head.split(','),
		...[...levels.all()].flatMap(({ name, queues }) =>
			queues
				.dump()
				.map(({ index, waiting, running, seats, nextAt, work }) => [
					name,
					index,
					waiting.length,
					running,
					seats,
					seconds(nextAt),
					seconds(work),
				]),
		),
	];
}

function page(rows: () => readonly (readonly unknown[])[]): Handler {
	return () => {
		const text = rows()
			.map((row) => `${row.map(String).join(', ')}\n`)
			.join('');
		const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
		const answer: ApiResponse = { type: 'bytes', status: 200, headers, body: Buffer.from(text) };
		return Promise.resolve(answer);
	};
}

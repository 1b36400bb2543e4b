/** /debug/api_priority_and_fairness: levels, their queues, and the requests in them, as tables (upstream's flowcontrol/apf_controller_debug.go). */
import { formatDuration } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ApiRequest, ApiResponse, Handler } from '../contracts.ts';
import { aligned } from './columns.ts';
import type { Fairness } from './fairness.ts';
import type { PriorityLevel } from './priority-level.ts';
import type { Turn } from './turn.ts';

const PATH = '/debug/api_priority_and_fairness/';
const LEVELS =
	'PriorityLevelName,ActiveQueues,IsIdle,IsQuiescing,WaitingRequests,ExecutingRequests,DispatchedRequests,RejectedRequests,TimedoutRequests,CancelledRequests';
const QUEUES =
	'PriorityLevelName,Index,PendingRequests,ExecutingRequests,SeatsInUse,NextDispatchR,InitialSeatsSum,MaxSeatsSum,TotalWorkSum';
const REQUESTS =
	'PriorityLevelName,FlowSchemaName,QueueIndex,RequestIndexInQueue,FlowDistingsher,ArriveTime,InitialSeats,FinalSeats,AdditionalLatency,StartTime';
const DETAILS = 'UserName,Verb,APIPath,Namespace,Name,APIVersion,Resource,SubResource';
/** What Go shows of a time that never came. */
const NEVER = '0001-01-01T00:00:00Z';

type Rows = readonly (readonly unknown[])[];

export function fairnessDumps(fairness: Fairness, clock: Clock): ReadonlyMap<string, Handler> {
	const levels = (): readonly PriorityLevel[] => [...fairness.levels.all()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
	return new Map([
		[`${PATH}dump_priority_levels`, page(() => [LEVELS.split(','), ...levels().map(levelRow)])],
		[`${PATH}dump_queues`, page(() => [QUEUES.split(','), ...levels().flatMap(queueRows)])],
		[
			`${PATH}dump_requests`,
			page(({ query }) => {
				const withDetails = (query.get('includeRequestDetails') ?? '') !== '';
				const head = [...REQUESTS.split(','), ...(withDetails ? DETAILS.split(',') : [])];
				return [head, ...levels().flatMap((level) => requestRows(level, withDetails, clock))];
			}),
		],
	]);
}

function levelRow({ name, queues, isQuiescing, counts }: PriorityLevel): readonly unknown[] {
	const active = queues.dump().filter(({ waiting }) => waiting.length > 0).length;
	const { dispatched, rejected, timedOut, cancelled } = counts;
	const { waiting, running } = queues;
	return [name, active, queues.isIdle, isQuiescing, waiting.count, running.count, dispatched, rejected, timedOut, cancelled];
}

function queueRows({ name, queues }: PriorityLevel): Rows {
	const seconds = (ms: number): string => `${(ms / 1000).toFixed(8)}ss`;
	const sum = (turns: readonly Turn[], seatsOf: (turn: Turn) => number): number => turns.reduce((all, turn) => all + seatsOf(turn), 0);
	return queues.dump().map(({ index, waiting, running, seats, nextAt, work }) => {
		const [initial, most] = [sum(waiting, (turn) => turn.work.initialSeats), sum(waiting, (turn) => turn.seats)];
		return [name, index, waiting.length, running, seats, seconds(nextAt), initial, most, seconds(work)];
	});
}

/** Those that wait in a queue by their place in it, then those that run; without a queue both are -1. */
function requestRows({ name, queues }: PriorityLevel, withDetails: boolean, clock: Clock): Rows {
	const row = (queue: number, place: number, turn: Turn): readonly unknown[] => {
		const { asker, work, cameAt, startedAt } = turn;
		const at = (monotonic: number): string => nanoTime(clock.now() - (clock.monotonic() - monotonic));
		return [
			...[name, asker.schema, queue, place, asker.flow, at(cameAt), work.initialSeats, work.finalSeats],
			...[formatDuration(BigInt(Math.round(work.finalMs * 1e6))), startedAt === undefined ? NEVER : at(startedAt)],
			...(withDetails ? detailsOf(turn) : []),
		];
	};
	const { executing } = queues;
	return [
		...queues
			.dump()
			.flatMap(({ index, waiting }) => [
				...waiting.map((turn, place) => row(index, place, turn)),
				...executing.filter(({ queue }) => queue?.index === index).map((turn) => row(index, -1, turn)),
			]),
		...executing.filter(({ queue }) => queue === undefined).map((turn) => row(-1, -1, turn)),
	];
}

function detailsOf({ asker: { user, info, path } }: Turn): readonly string[] {
	if (info.type === 'path') return [user.name, info.verb, path, '', '', '', '', ''];
	const { verb, namespace, name, group, version, resource, subresource } = info;
	return [user.name, verb, path, namespace, name, group === '' ? version : `${group}/${version}`, resource, subresource];
}

/** RFC 3339, zeros at the end of the fraction left out. */
function nanoTime(ms: number): string {
	return new Date(ms).toISOString().replace(/\.?0*Z$/, 'Z');
}

function page(rows: (request: ApiRequest) => Rows): Handler {
	return (request) => {
		const headers = { 'content-type': 'text/plain; charset=utf-8' };
		const answer: ApiResponse = { type: 'bytes', status: 200, headers, body: Buffer.from(aligned(rows(request))) };
		return Promise.resolve(answer);
	};
}

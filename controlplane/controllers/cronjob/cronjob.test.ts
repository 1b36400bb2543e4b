import test from 'ava';
import type { CronJob, Job } from '../../../api/gen/types.ts';
import { CRON_JOBS, JOBS } from '../../../api/resources.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { dueRun, msUntilNext } from './due.ts';
import { nextTime, parseSchedule } from './schedule.ts';
import { inZone, isTimeZone } from './time-zone.ts';

const at = (text: string): number => Date.parse(text);
for (const [text, zone, after, want] of [
	['* * * * *', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
	['*/15 * * * *', 'UTC', '2026-01-01T00:16:30Z', '2026-01-01T00:30:00Z'],
	['0 3 * * *', 'UTC', '2026-01-01T04:00:00Z', '2026-01-02T03:00:00Z'],
	['30 9 * * mon-fri', 'UTC', '2026-01-02T10:00:00Z', '2026-01-05T09:30:00Z'],
	['0 0 13 * 5', 'UTC', '2026-01-03T00:00:00Z', '2026-01-09T00:00:00Z'],
	['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
	['0 0 1,15 jan,jul *', 'UTC', '2026-01-15T00:00:00Z', '2026-07-01T00:00:00Z'],
	['10/20 * * * *', 'UTC', '2026-01-01T00:31:00Z', '2026-01-01T00:50:00Z'],
	['@hourly', 'UTC', '2026-01-01T00:00:01Z', '2026-01-01T01:00:00Z'],
	['@weekly', 'UTC', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
	['@every 1h30m', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T01:30:00Z'],
	['0 12 * * *', 'Europe/Berlin', '2026-01-01T00:00:00Z', '2026-01-01T11:00:00Z'],
	['0 12 * * *', 'Europe/Berlin', '2026-07-01T00:00:00Z', '2026-07-01T10:00:00Z'],
	['TZ=Asia/Kolkata 0 6 * * *', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:30:00Z'],
	// The clocks of New York go from 02:00 to 03:00 on 8 March 2026.
	['30 2 * * *', 'America/New_York', '2026-03-08T00:00:00Z', '2026-03-09T06:30:00Z'],
] as const)
	test(`nextTime(): ${text} in ${zone} after ${after}`, (t) =>
		t.is(new Date(nextTime(parseSchedule(text, zone), at(after)) ?? 0).toISOString().replace('.000', ''), want));

test('a schedule that never comes, and zones', (t) => {
	t.is(nextTime(parseSchedule('0 0 30 2 *'), 0), undefined);
	t.throws(() => parseSchedule('61 * * * *'), { message: /above maximum/ });
	t.true(isTimeZone('Europe/Berlin'));
	t.false(isTimeZone('Mars/Olympus'));
	t.is(inZone('America/St_Johns', at('2026-01-01T12:00:00Z')), '2026-01-01T08:30:00-03:30');
	t.is(inZone('Factory', at('2026-01-01T12:00:00Z')), '2026-01-01T12:00:00Z');
	t.is(inZone('UTC', at('2026-01-01T12:00:00Z')), '2026-01-01T12:00:00Z');
});

const cron = (spec: object, lastScheduleTime?: string): CronJob =>
	({
		metadata: { name: 'c', creationTimestamp: '2026-01-01T00:00:30Z' },
		spec: { schedule: '* * * * *', jobTemplate: {}, ...spec },
		status: lastScheduleTime === undefined ? {} : { lastScheduleTime },
	}) as unknown as CronJob;
for (const [name, one, now, due, wait, many] of [
	['nothing yet', cron({}), '2026-01-01T00:00:50Z', undefined, 10_100, false],
	['the first', cron({}), '2026-01-01T00:01:00Z', '2026-01-01T00:01:00Z', 60_100, false],
	['the newest of several', cron({}), '2026-01-01T00:05:10Z', '2026-01-01T00:05:00Z', 50_100, false],
	['after the last one', cron({}, '2026-01-01T00:05:00Z'), '2026-01-01T00:05:10Z', undefined, 50_100, false],
	['the newest of very many', cron({}), '2026-02-01T00:05:10Z', '2026-02-01T00:05:00Z', 50_100, true],
	[
		'not so many within the deadline',
		cron({ startingDeadlineSeconds: 300 }),
		'2026-02-01T00:05:10Z',
		'2026-02-01T00:05:00Z',
		50_100,
		false,
	],
	[
		'the newest of an uneven schedule',
		cron({ schedule: '0,1 0 * * *' }),
		'2026-01-09T12:00:00Z',
		'2026-01-09T00:01:00Z',
		43_200_100,
		false,
	],
	[
		'or none, where an estimate from its first two misses it',
		cron({ schedule: '0,1 0 * * *' }, '2026-01-01T00:01:00Z'),
		'2026-01-09T12:00:00Z',
		undefined,
		43_200_100,
		false,
	],
	['a span keeps its beat', cron({ schedule: '@every 1h' }), '2026-01-01T05:30:00Z', '2026-01-01T05:00:30Z', 1_830_100, false],
] as const)
	test(`due: ${name}`, (t) => {
		const schedule = parseSchedule(one.spec?.schedule ?? '');
		const found = dueRun(one, schedule, at(now));
		t.is(found.at, due === undefined ? undefined : at(due));
		t.is(found.tooManyMissed, many);
		t.is(msUntilNext(one, schedule, at(now)), wait);
	});

test('due: a schedule that never comes is none', (t) => {
	const never = cron({ schedule: '59 23 31 2 *' });
	const schedule = parseSchedule('59 23 31 2 *');
	t.throws(() => dueRun(never, schedule, at('2026-01-01T05:00:00Z')), {
		message: 'time difference between two schedules is less than 1 second',
	});
	t.is(msUntilNext(never, schedule, at('2026-01-01T05:00:00Z')), undefined);
});

test('a CronJob starts Jobs on time, holds back, replaces, keeps no more history than asked for', async (t) => {
	await controlledCluster(
		async ({ client, pass, events, refusals }) => {
			const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
			const spec = {
				schedule: '* * * * *',
				concurrencyPolicy: 'Forbid',
				successfulJobsHistoryLimit: 1,
				jobTemplate: { metadata: { labels: { a: 'b' } }, spec: { template } },
			};
			await client.create(CRON_JOBS, { metadata: { namespace: 'default', name: 'c' }, spec });
			const jobs = async (): Promise<readonly Job[]> => (await client.list(JOBS, { namespace: 'default' })).items;
			const finish = async (name: string): Promise<void> => {
				const job = await client.get(JOBS, `default/${name}`);
				const time = job.metadata.creationTimestamp;
				const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' }));
				await client.update(
					JOBS,
					{ ...job, status: { succeeded: 1, startTime: time, completionTime: time, conditions } },
					{ subresource: 'status' },
				);
			};
			const status = async () => (await client.get(CRON_JOBS, 'default/c')).status;
			await pass(50_000);
			t.deepEqual(await jobs(), []);
			await pass(15_000);
			const [first] = await jobs();
			t.is(first?.metadata.name, `c-${Date.UTC(2026, 0, 1, 0, 1) / 60_000}`);
			t.like(first?.metadata, {
				labels: { a: 'b' },
				annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T00:01:00Z' },
			});
			t.like(first?.metadata.ownerReferences?.[0], { kind: 'CronJob', name: 'c', controller: true });
			t.is((await status())?.active?.[0]?.name, first?.metadata.name);
			t.is((await status())?.lastScheduleTime, '2026-01-01T00:01:00Z');
			await pass(60_000);
			t.is((await jobs()).length, 1);
			await finish(first?.metadata.name ?? '');
			await pass(1000);
			t.is((await jobs()).length, 2);
			t.is((await status())?.lastSuccessfulTime, first?.metadata.creationTimestamp);
			const second = (await jobs())[1]?.metadata.name ?? '';
			await finish(second);
			await pass(1000);
			t.deepEqual(
				(await jobs()).map((j) => j.metadata.name),
				[second],
			);
			await client.patch(CRON_JOBS, 'default/c', { type: 'merge', body: { spec: { concurrencyPolicy: 'Replace' } } });
			await pass(60_000);
			const [third] = (await status())?.active ?? [];
			await pass(60_000);
			t.is((await status())?.active?.length, 1);
			t.not((await status())?.active?.[0]?.name, third?.name);
			await client.patch(CRON_JOBS, 'default/c', { type: 'merge', body: { spec: { suspend: true } } });
			const before = (await jobs()).length;
			await pass(600_000);
			t.is((await jobs()).length, before);
			const reasons = new Set((await events('c')).map((e) => e.split(':')[0]));
			for (const reason of ['SuccessfulCreate', 'SawCompletedJob', 'JobAlreadyActive', 'SuccessfulDelete'])
				t.true(reasons.has(reason), reason);
			t.deepEqual(refusals, []);
		},
		{ only: ['cronjob-controller'], more: { zone: 'UTC' } },
	);
});

test('with another schedule nothing is started for what it would have had before', async (t) => {
	await controlledCluster(
		async ({ client, pass, events }) => {
			const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
			const spec = { schedule: '0 0 1 1 *', jobTemplate: { spec: { template } } };
			await client.create(CRON_JOBS, { metadata: { namespace: 'default', name: 'c' }, spec });
			const names = async (): Promise<readonly unknown[]> =>
				(await client.list(JOBS, { namespace: 'default' })).items.map(({ metadata }) => metadata.name);
			await pass(150_000);
			await client.patch(CRON_JOBS, 'default/c', { type: 'merge', body: { spec: { schedule: '* * * * *' } } });
			await pass(10_000);
			t.deepEqual(await names(), []);
			await pass(25_000);
			t.deepEqual(await names(), [`c-${Date.UTC(2026, 0, 1, 0, 3) / 60_000}`]);
			t.false((await events('c')).some((event) => event.startsWith('UnexpectedJob')));
		},
		{ only: ['cronjob-controller'], more: { zone: 'UTC' } },
	);
});

test('a schedule that names no zone is in that of the controller; its Jobs say when in UTC', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
			await client.create(CRON_JOBS, {
				metadata: { namespace: 'default', name: 'c' },
				spec: { schedule: '1 9 * * *', jobTemplate: { spec: { template } } },
			});
			await pass(65_000);
			const [job] = (await client.list(JOBS, { namespace: 'default' })).items;
			t.like(job?.metadata.annotations, { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T00:01:00Z' });
		},
		{ only: ['cronjob-controller'], more: { zone: 'Asia/Tokyo' } },
	);
});

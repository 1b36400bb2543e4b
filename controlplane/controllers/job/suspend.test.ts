import test from 'ava';
import type { Job } from '../../../api/gen/types.ts';
import { JOBS, PODS } from '../../../api/resources.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';

test('a Job that may not fail once can be suspended, and goes on', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
			const made: Job = { metadata: { namespace: 'default', name: 'j' }, spec: { backoffLimit: 0, template } };
			await client.create(JOBS, made);
			await pass();
			t.is((await client.list(PODS)).items.length, 1);
			const suspend = async (is: boolean): Promise<Job> => {
				await client.patch(JOBS, 'default/j', { type: 'merge', body: { spec: { suspend: is } } });
				await pass(2000);
				return client.get(JOBS, 'default/j');
			};
			const { status } = await suspend(true);
			t.deepEqual([status?.conditions?.map((c) => c.type), status?.failed, status?.active], [['Suspended'], undefined, undefined]);
			t.is((await client.list(PODS)).items.length, 0);
			t.like((await suspend(false)).status, { active: 1 });
		},
		{ only: ['job-controller', 'serviceaccount-controller'] },
	);
});

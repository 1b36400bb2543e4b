import test from 'ava';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SelfSubjectReview } from '../../api/gen/types.ts';
import { SELF_SUBJECT_REVIEWS, SERVICE_ACCOUNTS } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { createClient } from '../../client/rest.ts';
import { testApiServer } from '../../test/fakes/api-server.ts';
import { serviceAccountClients } from './service-accounts.ts';

test('a controller acts as its service account, which is made where it is missing; a token that is no longer taken is replaced', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-accounts-'));
	const stop = new AbortController();
	const { server, url, ca, client, stopped } = await testApiServer({ port: 0, clock: realClock, log: noLog }, stop.signal);
	try {
		const caFile = join(dir, 'ca.crt');
		await writeFile(caFile, ca);
		const user = { name: 'system:kube-controller-manager', uid: '', groups: ['system:authenticated'], extra: {} };
		const manager = createClient(server.transport(user));
		const clientOf = serviceAccountClients(manager, { server: url, caFile }, realClock);
		const who = async (name: string): Promise<SelfSubjectReview['status']> =>
			(await clientOf(name).create<SelfSubjectReview>(SELF_SUBJECT_REVIEWS, { metadata: {} })).status;
		t.is((await who('job-controller'))?.userInfo?.username, 'system:serviceaccount:kube-system:job-controller');
		t.deepEqual((await who('job-controller'))?.userInfo?.groups, [
			...['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
		]);
		const one = clientOf('node-controller');
		await one.create(SELF_SUBJECT_REVIEWS, { metadata: {} });
		await client.delete(SERVICE_ACCOUNTS, 'kube-system/node-controller');
		await t.throwsAsync(one.create(SELF_SUBJECT_REVIEWS, { metadata: {} }), { message: /Unauthorized/ });
		t.is(
			(await one.create<SelfSubjectReview>(SELF_SUBJECT_REVIEWS, { metadata: {} })).status?.userInfo?.username?.split(':')[3],
			'node-controller',
		);
	} finally {
		stop.abort();
		await stopped;
		await rm(dir, { recursive: true });
	}
});

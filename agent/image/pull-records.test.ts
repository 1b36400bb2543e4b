/** Who may use an image that lies here, by what is known of its pull. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Registry } from '../../base/metrics.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { imageSettingsOf, type VerificationPolicy } from '../config/image-settings.ts';
import type { CredentialSource } from './credential.ts';
import { PullFigures } from './pull-figures.ts';
import { bareName, PullRecords } from './pull-records.ts';

async function folder(t: ExecutionContext): Promise<string> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-pulls-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	return dir;
}

const secret = (name: string, hash = 'h'): CredentialSource => ({ type: 'secret', uid: `uid-${name}`, namespace: 'n', name, hash });
const account: CredentialSource = { type: 'account', uid: 'a', namespace: 'n', name: 'sa' };
for (const [name, policy, before, sources, want] of [
	['what was there before the node pulled', 'NeverVerifyPreloadedImages', undefined, [], true],
	['is not trusted where all is verified', 'AlwaysVerify', undefined, [], false],
	['is trusted where it is listed', 'NeverVerifyAllowlistedImages', undefined, [], true],
	['nothing is verified', 'NeverVerify', [secret('a')], [], true],
	['pulled without credentials', 'AlwaysVerify', [undefined], [], true],
	["pulled with the node's", 'NeverVerifyPreloadedImages', [{ type: 'node' }], [], true],
	['pulled with a secret that the pod has not', 'NeverVerifyPreloadedImages', [secret('a')], [], false],
	['pulled with the same secret', 'NeverVerifyPreloadedImages', [secret('a', '1')], [secret('a', '2')], true],
	['pulled with another secret that says the same', 'NeverVerifyPreloadedImages', [secret('a')], [secret('b')], true],
	['pulled with another secret', 'NeverVerifyPreloadedImages', [secret('a', '1')], [secret('b', '2')], false],
	['pulled twice', 'NeverVerifyPreloadedImages', [secret('a', '1'), secret('b', '2')], [secret('a', '1')], true],
	['pulled as the account', 'NeverVerifyPreloadedImages', [account], [account], true],
	['pulled as another account', 'NeverVerifyPreloadedImages', [account], [{ ...account, uid: 'z' }], false],
] as const)
	test(`PullRecords: ${name}`, async (t) => {
		const settings = { ...imageSettingsOf({}), verification: policy as VerificationPolicy, allowlist: ['registry.io/*'] };
		const dir = await folder(t);
		const records = new PullRecords(dir, settings, new VirtualClock());
		for (const source of (before ?? []) as readonly (CredentialSource | undefined)[])
			await records.pulled('registry.io/a:1', 'sha256:1', source);
		const again = new PullRecords(dir, settings, new VirtualClock());
		t.is(await again.mayUse('registry.io/a:2', 'sha256:1', () => Promise.resolve(sources as readonly CredentialSource[])), want);
	});

test('PullRecords: a pull that was cut off is not trusted, a broken record neither', async (t) => {
	const dir = await folder(t);
	const registry = new Registry();
	const records = new PullRecords(dir, imageSettingsOf({}), new VirtualClock(), new PullFigures(registry, dir));
	const told = async (): Promise<readonly string[]> =>
		(await registry.metrics()).split('\n').flatMap((line) => /^kubelet_imagemanager_(.*)$/.exec(line)?.[1] ?? []);
	const mayUse = (): Promise<boolean> => records.mayUse('a:1', 'sha256:1', () => Promise.resolve([]));
	await records.pulling('a:1');
	t.false(await mayUse());
	t.deepEqual(await told(), ['image_mustpull_checks_total{result="mustAuthenticate"} 1', 'ondisk_pullintents 1', 'ondisk_pulledrecords 0']);
	await records.notPulling('a:1');
	t.true(await mayUse());
	await records.pulled('a:1', 'sha256:1', undefined);
	t.true(await mayUse());
	t.deepEqual(await told(), [
		'image_mustpull_checks_total{result="mustAuthenticate"} 1',
		'image_mustpull_checks_total{result="credentialPolicyAllowed"} 1',
		'image_mustpull_checks_total{result="credentialRecordFound"} 1',
		...['ondisk_pullintents 0', 'ondisk_pulledrecords 1'],
	]);
	const [name = ''] = await readdir(join(dir, 'pulled'));
	await writeFile(join(dir, 'pulled', name), 'nonsense');
	t.false(await mayUse());
});

for (const [image, bare] of [
	['registry.io:5000/a/b:1', 'registry.io:5000/a/b'],
	['a@sha256:1', 'a'],
	['registry.io:5000/a', 'registry.io:5000/a'],
] as const)
	test(`bareName(): ${image}`, (t) => t.is(bareName(image), bare));

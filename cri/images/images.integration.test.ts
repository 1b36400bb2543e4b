/** Pulling through a real engine from a registry of the test's own. Skips, saying why, where there is no engine. */
import test from 'ava';
import { FakeRegistry } from '../../test/fakes/registry.ts';
import { startTestShim, liveTests, type TestShim } from '../../test/tools/cri.ts';
import type { AuthConfig, ImageSpec } from '../proto.ts';

const { engine, live } = await liveTests(test);

let shim: TestShim;
test.before(async () => {
	if (typeof engine === 'string') return;
	shim = await startTestShim(`img${process.pid}`);
});
test.after.always(async () => shim?.stop());

const spec = (image: string): ImageSpec => ({ image, annotations: {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: '' });
const noAuth: AuthConfig = { username: '', password: '', auth: '', serverAddress: '', identityToken: '', registryToken: '' };
const pull = async (image: string, auth?: Partial<AuthConfig>): Promise<string> =>
	(await shim.images.pullImage({ image: spec(image), auth: auth && { ...noAuth, ...auth }, sandboxConfig: undefined })).imageRef;
const remove = (image: string): Promise<unknown> => shim.images.removeImage({ image: spec(image) });

live('credentials: as user and password, or as one text; without them the refusal is told', async (t) => {
	await using registry = await FakeRegistry.start(`secret ${process.pid}`, { credentials: 'me:hush', user: 'www-data' });
	const name = `${registry.address}/team/app:1`;
	await t.throwsAsync(pull(name), { message: /Cannot pull image/ });
	await t.throwsAsync(pull(name, { username: 'me', password: 'wrong' }), { message: /Cannot pull image/ });
	const id = await pull(name, { username: 'me', password: 'hush' });
	const { images } = await shim.images.listImages({ filter: undefined });
	const listed = images.find((image) => image.id === id);
	t.deepEqual([listed?.username, listed?.repoTags, listed?.pinned], ['www-data', [name], false]);
	await remove(id);
	t.is(await pull(name, { auth: Buffer.from('me:hush').toString('base64') }), id);
	await remove(name);
	t.is((await shim.images.imageStatus({ image: spec(id), verbose: false })).image, undefined);
});

live('by digest: the image has that digest and no tag', async (t) => {
	await using registry = await FakeRegistry.start(`digest ${process.pid}`);
	const name = `${registry.address}/app@${registry.digest}`;
	const id = await pull(name);
	const { image } = await shim.images.imageStatus({ image: spec(name), verbose: true });
	t.deepEqual([image?.id, image?.repoTags, image?.repoDigests], [id, [], [name]]);
	await Promise.all([remove(id), remove(name), remove(id)]);
	await t.notThrowsAsync(remove(id), 'gone already is success');
});

live('a pull that stands still is given up, and one that goes on again later works', async (t) => {
	const { promise: hold, resolve: release } = Promise.withResolvers<void>();
	await using registry = await FakeRegistry.start(`stuck ${process.pid} ${'x'.repeat(5000)}`, { hold });
	const name = `${registry.address}/app:slow`;
	const impatient = await startTestShim(`imp${process.pid}`, undefined, { imagePullProgressMs: 2000 });
	t.teardown(() => impatient.stop());
	const request = { image: spec(name), auth: undefined, sandboxConfig: undefined };
	await t.throwsAsync(impatient.images.pullImage(request), { message: /nothing moved for 2 s/ });
	release();
	const id = await pull(name);
	await remove(id);
});

live('what is no name of an image is refused, and found nowhere', async (t) => {
	for (const name of ['', '../containers/json', 'a?b', 'http://x'])
		await t.throwsAsync(pull(name), { message: /No image is named|is no name of an image|Cannot pull/ }, name);
	t.is((await shim.images.imageStatus({ image: spec('../containers'), verbose: false })).image, undefined);
	await t.notThrowsAsync(remove('../../containers/x'));
});

live('the file system of images grows with an image and shrinks without it', async (t) => {
	const used = async (): Promise<bigint> => (await shim.images.imageFsInfo({})).imageFilesystems[0]?.usedBytes?.value ?? 0n;
	await using registry = await FakeRegistry.start(`big ${process.pid} ${'y'.repeat(3_000_000)}`);
	const before = await used();
	const id = await pull(`${registry.address}/app:big`);
	t.true((await used()) >= before + 3_000_000n);
	await remove(id);
});

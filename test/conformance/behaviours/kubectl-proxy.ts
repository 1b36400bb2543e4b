/** [sig-cli] Kubectl client Proxy server. */
import { rm } from 'node:fs/promises';
import { request, type RequestOptions } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { conformance } from '../suite.ts';

const get = (options: RequestOptions): Promise<string> =>
	new Promise((resolve, reject) => {
		request(options, (response) => void text(response).then(resolve, reject))
			.once('error', reject)
			.end();
	});

conformance('[sig-cli] Kubectl client Proxy server should support proxy with --port 0 [Conformance]', async ({ k, t }) => {
	await using proxy = k.start('proxy', '-p', '0', '--disable-filter');
	const [, port] = await proxy.waitFor(/Starting to serve on 127\.0\.0\.1:(\d+)/);
	const answer = JSON.parse(await get({ host: '127.0.0.1', port: Number(port), path: '/api/' })) as { versions: string[] };
	t.deepEqual(answer.versions, ['v1']);
});

conformance('[sig-cli] Kubectl client Proxy server should support --unix-socket=/path [Conformance]', async ({ k, t, namespace }) => {
	const socketPath = join(tmpdir(), `${namespace}.sock`);
	t.teardown(() => rm(socketPath, { force: true }));
	await using proxy = k.start('proxy', `--unix-socket=${socketPath}`);
	await proxy.waitFor(/Starting to serve on/);
	const answer = JSON.parse(await get({ socketPath, path: '/api/' })) as { versions: string[] };
	t.deepEqual(answer.versions, ['v1']);
});

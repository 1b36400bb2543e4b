/** An admission webhook of a test's own: an HTTPS server in this process that is asked and replies. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { realClock } from '../../base/clock.ts';
import { createAuthority, issue } from '../../wire/tls/authority.ts';

/** The request of an AdmissionReview. */
export type Question = Readonly<Record<string, unknown>>;

export interface FakeWebhook extends Disposable {
	readonly clientConfig: { readonly url: string; readonly caBundle: string };
	/** Questions so far, in order. */
	readonly questions: Question[];
}

/** @param reply the response without its uid */
export async function fakeWebhook(reply: (question: Question) => object): Promise<FakeWebhook> {
	const authority = await createAuthority({ commonName: 'webhook-ca', days: 1 }, realClock);
	const leaf = { commonName: 'hook', ipAddresses: ['127.0.0.1'], usages: ['server'], days: 1 } as const;
	const { certPem: cert, keyPem: key } = await issue(authority, leaf, realClock);
	const questions: Question[] = [];
	const server = createServer({ cert, key }, (request, response) => {
		const answer = (body: unknown): void => {
			const review = body as { readonly request: Question };
			questions.push(review.request);
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ ...review, response: { uid: review.request['uid'], ...reply(review.request) } }));
		};
		json(request).then(answer, (error: Error) => response.destroy(error));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(authority.certPem).toString('base64') },
		questions,
		[Symbol.dispose]: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}

/** As a webhook's response carries a patch. */
export const patched = (...operations: readonly object[]): object => ({
	allowed: true,
	patchType: 'JSONPatch',
	patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

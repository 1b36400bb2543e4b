/** /debug/flags/v: how much is logged, set while the agent runs. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../base/log.ts';
import { setVerbosity } from '../../base/verbosity.ts';
import { answer } from './answers.ts';

/** No number of 32 bits is longer. */
const MAX_LENGTH = 64;

/** The number is the body of a PUT. */
export async function verbosity(request: IncomingMessage, response: ServerResponse, log: Log): Promise<void> {
	if (request.method !== 'PUT') return answer(response, { status: 406, text: 'unsupported http method\n' });
	let body = '';
	for await (const chunk of request.setEncoding('utf8')) {
		body += chunk as string;
		if (body.length > MAX_LENGTH) return answer(response, { status: 400, text: 'error reading request body: too long\n' });
	}
	answer(response, setVerbosity(log, body));
}

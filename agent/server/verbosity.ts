/** /debug/flags/v: how much is logged, set while the agent runs, in the words of upstream's klog. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../base/log.ts';
import { answer } from './answers.ts';

/** From this verbosity on Kubernetes' components say what is for debugging. */
const DEBUGGING = 4;
/** No number of 32 bits is longer. */
const MAX_LENGTH = 64;

/** The number is the body of a PUT. Below DEBUGGING as much is logged as when the agent began. */
export async function verbosity(request: IncomingMessage, response: ServerResponse, log: Log): Promise<void> {
	if (request.method !== 'PUT') return answer(response, { status: 406, text: 'unsupported http method\n' });
	let body = '';
	for await (const chunk of request.setEncoding('utf8')) {
		body += chunk as string;
		if (body.length > MAX_LENGTH) return answer(response, { status: 400, text: 'error reading request body: too long\n' });
	}
	const fault = faultOf(body);
	if (fault !== undefined) return answer(response, { status: 400, text: `strconv.ParseUint: parsing ${JSON.stringify(body)}: ${fault}\n` });
	log.setLevel?.(Number(body) >= DEBUGGING ? 'debug' : undefined);
	answer(response, { status: 200, text: `successfully set klog.logging.verbosity to ${body}\n` });
}

function faultOf(text: string): string | undefined {
	if (!/^\d+$/.test(text)) return 'invalid syntax';
	return Number(text) > 2 ** 32 - 1 ? 'value out of range' : undefined;
}

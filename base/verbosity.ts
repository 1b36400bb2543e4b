/** How much is logged, set while a process runs, in the words of upstream's klog. */
import type { Log } from './log.ts';

/** From this verbosity on Kubernetes' components say what is for debugging. */
const DEBUGGING = 4;

/** @param text a number; below DEBUGGING as much is logged as when the process began */
export function setVerbosity(log: Log, text: string): { readonly status: 200 | 400; readonly text: string } {
	const fault = faultOf(text);
	if (fault !== undefined) return { status: 400, text: `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${fault}\n` };
	log.setLevel?.(Number(text) >= DEBUGGING ? 'debug' : undefined);
	return { status: 200, text: `successfully set klog.logging.verbosity to ${text}\n` };
}

function faultOf(text: string): string | undefined {
	if (!/^\d+$/.test(text)) return 'invalid syntax';
	return Number(text) > 2 ** 32 - 1 ? 'value out of range' : undefined;
}

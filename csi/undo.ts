/** What a failure left half done is undone. What fails in that is logged: the caller is told why all of it failed in the first place. */
import { messageOf } from '../base/errors.ts';
import type { Context } from './context.ts';

export async function undo({ log }: Pick<Context, 'log'>, what: string, work: () => Promise<void>): Promise<void> {
	try {
		await work();
	} catch (error) {
		log.warn('what failed could not be undone', { what, error: messageOf(error) });
	}
}

/** Starts the page; whatever it meets is said in it. */
import { Page } from './page.ts';

await new Page().start();

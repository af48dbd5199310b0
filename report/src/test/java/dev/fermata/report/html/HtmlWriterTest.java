package dev.fermata.report.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HtmlWriterTest {

    @Test
    void textAndAttributesAreEscaped() {
        String html = new HtmlWriter()
                .leaf("p", "a < b & \"c\" 'd' \u0007", "title", "\"><script>")
                .finish();

        assertThat(html)
                .contains("<p title=\"&quot;&gt;&lt;script&gt;\">a &lt; b &amp; &quot;c&quot; &#39;d&#39; \uFFFD</p>");
    }

    @Test
    void elementsWithoutContentAreClosedTheWayBrowsersWantIt() {
        assertThat(new HtmlWriter().empty("br").empty("i", "class", "").finish())
                .contains("<br/>", "<i></i>");
    }

    @Test
    void anUnclosedElementIsABug() {
        HtmlWriter html = new HtmlWriter().open("div");

        assertThatThrownBy(html::finish).hasMessageContaining("div");
    }

    @Test
    void aStyleSheetCannotEndItself() {
        assertThatThrownBy(() -> new HtmlWriter().style("</style><script>")).hasMessageContaining("<");
    }
}

package dev.fermata.app.report.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HtmlTest {

    @Test
    void textAndAttributesAreEscaped() {
        String html = new Html()
                .leaf("p", "a < b & \"c\" 'd' \u0007", "title", "\"><script>")
                .finish();

        assertThat(html)
                .contains("<p title=\"&quot;&gt;&lt;script&gt;\">a &lt; b &amp; &quot;c&quot; &#39;d&#39; \uFFFD</p>");
    }

    @Test
    void elementsWithoutContentAreClosedTheWayBrowsersWantIt() {
        assertThat(new Html().empty("br").empty("i", "class", "").finish()).contains("<br/>", "<i></i>");
    }

    @Test
    void anUnclosedElementIsABug() {
        Html html = new Html().open("div");

        assertThatThrownBy(html::finish).hasMessageContaining("div");
    }

    @Test
    void aStyleSheetCannotEndItself() {
        assertThatThrownBy(() -> new Html().style("</style><script>")).hasMessageContaining("<");
    }
}
